// How the session stands, as one sentence's parts: a word, what exactly, since when. Folded from what the server said.

import type { TaskState } from "@/shared/api/names";
import type { SessionFold, TaskFacts } from "@/shared/events/fold";
import type { Row } from "@/shared/events/rows";
import type { Connection } from "@/shared/events/socket";
import type { Mark } from "@/shared/ui/state-mark";

export type Word =
  | "idle"
  | "sending"
  | "queued"
  | "running"
  | "stalled"
  | "stopping"
  | "completed"
  | "failed"
  | "cancelled"
  | "interrupted"
  /** Connection lost: whether it still runs is not known. */
  | "not_known";

export type Standing = {
  readonly word: Word;
  readonly mark: Mark;
  /** The task that runs, or the last that did. */
  readonly taskId: string | null;
  /** What is being done: a tool and its argument, or nothing. */
  readonly doing: string | null;
  readonly since: string | null;
  readonly isBusy: boolean;
};

type Local = {
  readonly sending: boolean;
  readonly stopping: string | null;
  readonly connection: Connection;
  readonly sessionId: string | null;
};

const IDLE: Standing = { word: "idle", mark: "pending", taskId: null, doing: null, since: null, isBusy: false };

export function standing(
  fold: SessionFold | null,
  tasks: ReadonlyMap<string, TaskState>,
  { sending, stopping, connection, sessionId }: Local,
): Standing {
  if (sending) return { ...IDLE, word: "sending", mark: "running", isBusy: true };
  const facts = fold === null ? null : current([...fold.tasks.values()]);
  const state = facts === null ? newestOf(sessionId, tasks) : (tasks.get(facts.taskId) ?? null);
  const taskId = facts?.taskId ?? state?.task_id ?? null;
  if (taskId === null) return IDLE;
  const base = { taskId, doing: null, since: facts?.startedAt ?? state?.created_at ?? null };
  if (facts?.complete != null) return { ...base, ...ENDS[endOf(facts)], isBusy: false };
  if (facts === null && state !== null && isEnded(state)) return { ...base, ...ENDS[endWord(state.status)], isBusy: false };
  if (stopping === taskId) return { ...base, word: "stopping", mark: "running", isBusy: true };
  if (connection.state === "offline" || connection.state === "reconnecting") {
    return { ...base, word: "not_known", mark: "unknown", isBusy: true };
  }
  if (state?.status === "queued") return { ...base, word: "queued", mark: "pending", isBusy: true };
  const word = state?.stalled == null ? "running" : "stalled";
  return { ...base, word, mark: "running", doing: fold === null ? null : doing(fold.rows), isBusy: true };
}

type End = "completed" | "failed" | "cancelled" | "interrupted";

const ENDS: Record<End, { word: Word; mark: Mark }> = {
  completed: { word: "completed", mark: "complete" },
  failed: { word: "failed", mark: "failed" },
  cancelled: { word: "cancelled", mark: "stopped" },
  interrupted: { word: "interrupted", mark: "stopped" },
};

/** Of several, the one that is under way; else the last. */
function current(all: readonly TaskFacts[]): TaskFacts | null {
  return all.find((facts) => facts.complete === null) ?? all.at(-1) ?? null;
}

function newestOf(sessionId: string | null, tasks: ReadonlyMap<string, TaskState>): TaskState | null {
  if (sessionId === null) return null;
  return [...tasks.values()].findLast((task) => task.session_id === sessionId) ?? null;
}

function endOf(facts: TaskFacts): End {
  return endWord(facts.complete?.metadata.status ?? "completed");
}

function endWord(status: TaskState["status"]): End {
  return status === "failed" || status === "cancelled" || status === "interrupted" ? status : "completed";
}

function isEnded(task: TaskState): boolean {
  return ["completed", "failed", "cancelled", "interrupted"].includes(task.status);
}

const ARGUMENTS = ["command", "file_path", "pattern", "url", "query", "description", "prompt"];

/** The newest call that is under way. */
function doing(rows: readonly Row[]): string | null {
  const row = rows.findLast((each) => each.kind === "tool" && (each.state === "running" || each.state === "typing"));
  if (row?.kind !== "tool") return null;
  const argument = ARGUMENTS.map((name) => row.input[name]).find((value) => typeof value === "string" && value !== "");
  return argument === undefined ? row.name : `${row.name} ${String(argument).split("\n", 1)[0]}`;
}
