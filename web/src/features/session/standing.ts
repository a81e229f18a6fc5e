// How the session stands, as one sentence's parts: a word, what exactly, since when. Folded from what the server said.

import type { TaskState } from "@/shared/api/names";
import type { Complete } from "@/shared/events/events";
import type { SessionFold, TaskFacts } from "@/shared/events/fold";
import type { Row } from "@/shared/events/rows";
import type { Connection } from "@/shared/events/socket";
import type { Mark } from "@/shared/ui/state-mark";

export type Word =
  | "idle"
  | "sending"
  | "queued"
  | "running"
  | "thinking"
  | "stalled"
  /** For a person. */
  | "waiting"
  /** For a limit of the model's provider. */
  | "parked"
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
  /** What is being done: a tool and its argument. When it has failed: why. When it is parked: until when, if it resumes. */
  readonly what: string | null;
  readonly since: string | null;
  readonly isBusy: boolean;
};

type Local = {
  readonly sending: boolean;
  readonly stopping: string | null;
  readonly connection: Connection;
  readonly sessionId: string | null;
};

const IDLE: Standing = { word: "idle", mark: "pending", taskId: null, what: null, since: null, isBusy: false };

export function standing(
  fold: SessionFold | null,
  tasks: ReadonlyMap<string, TaskState>,
  { sending, stopping, connection, sessionId }: Local,
): Standing {
  if (sending) return { ...IDLE, word: "sending", mark: "running", isBusy: true };
  const facts = fold === null ? null : current([...fold.tasks.values()]);
  if (facts !== null && facts.taskId === stopping) {
    // Also when its end is in the log: stopped is what has no process left, and the answer to the request tells that.
    return { ...IDLE, word: "stopping", mark: "running", taskId: stopping, since: facts.startedAt, isBusy: true };
  }
  const admitted = newestBeside(fold, sessionId, tasks);
  if (facts?.complete != null && (admitted === null || isEnded(admitted))) return ended(fold, facts, facts.complete);
  const running = facts?.complete === null ? facts : null;
  const state = running === null ? admitted : (tasks.get(running.taskId) ?? null);
  const taskId = running?.taskId ?? state?.task_id ?? null;
  if (taskId === null) return IDLE;
  const base = { taskId, what: null, since: running?.startedAt ?? state?.created_at ?? null };
  if (running === null && state !== null && isEnded(state)) return { ...base, ...ENDS[endWord(state.status)], isBusy: false };
  if (stopping === taskId) return { ...base, word: "stopping", mark: "running", isBusy: true };
  if (connection.state === "offline" || connection.state === "reconnecting") {
    return { ...base, word: "not_known", mark: "unknown", isBusy: true };
  }
  if (state?.status === "queued") return { ...base, word: "queued", mark: "pending", isBusy: true };
  if (state?.status === "parked") {
    const until = state.parked?.resumes === true ? (state.parked.until ?? null) : null;
    return { ...base, word: "parked", mark: "pending", what: until, isBusy: true };
  }
  const asked = waitingFor(fold?.rows ?? [], taskId);
  if (asked !== null) return { ...base, word: "waiting", mark: "waiting", what: asked, isBusy: true };
  if (state?.stalled != null) return { ...base, word: "stalled", mark: "running", isBusy: true };
  return { ...base, ...doing(fold?.rows ?? []), mark: "running", isBusy: true };
}

function ended(fold: SessionFold | null, { taskId, startedAt }: TaskFacts, complete: Complete): Standing {
  const word = endWord(complete.metadata.status);
  const error = fold?.rows.findLast((row) => row.kind === "error" && row.taskId === taskId);
  const what = word === "failed" && error?.kind === "error" ? firstLine(error.text) : null;
  return { taskId, what, since: startedAt, ...ENDS[word], isBusy: false };
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

/** Of the tasks that the server told of, the newest of this session that its log, as far as we have it, does not show. */
function newestBeside(
  fold: SessionFold | null,
  sessionId: string | null,
  tasks: ReadonlyMap<string, TaskState>,
): TaskState | null {
  if (sessionId === null) return null;
  const isBeside = (task: TaskState) => task.session_id === sessionId && fold?.tasks.has(task.task_id) !== true;
  return [...tasks.values()].findLast(isBeside) ?? null;
}

function endWord(status: TaskState["status"]): End {
  return status === "failed" || status === "cancelled" || status === "interrupted" ? status : "completed";
}

function isEnded(task: TaskState): boolean {
  return ["completed", "failed", "cancelled", "interrupted"].includes(task.status);
}

/** The first question of the task that waits, of however many; a program's holds no task up. */
function waitingFor(rows: readonly Row[], taskId: string): string | null {
  for (const row of rows) {
    if (row.taskId !== taskId) continue;
    if (row.kind === "tool") {
      const below = waitingFor(row.children, taskId);
      if (below !== null) return below;
    }
    const asked = row.kind === "asking" ? row.asked.find(({ state }) => state === "pending") : undefined;
    if (asked !== undefined) return firstLine(asked.question.question_text);
  }
  return null;
}

const ARGUMENTS = ["command", "file_path", "pattern", "url", "query", "description", "prompt"];

/** The newest call that is under way, or a thought. */
function doing(rows: readonly Row[]): { word: Word; what: string | null } {
  const last = rows.at(-1);
  if (last?.kind === "thinking" && last.streaming) return { word: "thinking", what: null };
  const row = rows.findLast((each) => each.kind === "tool" && (each.state === "running" || each.state === "typing"));
  if (row?.kind !== "tool") return { word: "running", what: null };
  const argument = ARGUMENTS.map((name) => row.input[name]).find((value) => typeof value === "string" && value !== "");
  if (argument === undefined) return { word: "running", what: row.name };
  const line = firstLine(String(argument));
  return { word: "running", what: row.name === "Bash" ? line : `${row.name} ${line}` };
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}
