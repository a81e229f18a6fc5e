import { useThread } from "@/features/session/thread/thread-context";

/** Paths as a person of the project says them: below the working directory without it. */
export function useShortPath(taskId: string): (text: string) => string {
  const { fold } = useThread();
  const directory = fold.tasks.get(taskId)?.workingDir.replace(/\/+$/, "") ?? "";
  return (text) => (directory !== "" && text.startsWith(`${directory}/`) ? text.slice(directory.length + 1) : text);
}
