export { SessionPage } from "@/features/session/page";
