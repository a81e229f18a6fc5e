export { Thread } from "@/features/session/thread/thread";
