export { ExamplesPage } from "@/features/examples/page";
