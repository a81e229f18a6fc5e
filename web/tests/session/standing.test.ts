// How a session stands, from its log, from what the server says of its tasks, and from the connection.

import { beforeEach, expect, test } from "vitest";

import { standing } from "@/features/session/standing";
import type { TaskState } from "@/shared/api/types.gen";
import { SessionFold } from "@/shared/events/fold";
import { useTasks } from "@/shared/events/live";
import type { Connection } from "@/shared/events/socket";

import { Script, type Numbered } from "../fold/events";

const SESSION = "a0000000-0000-4000-8000-000000000001";
const OPEN: Connection = { state: "open" };

let script: Script;
beforeEach(() => {
  script = new Script();
  useTasks.setState({ byId: new Map() });
});

function task(status: TaskState["status"], extra: Partial<TaskState> = {}): TaskState {
  return { task_id: script.task, session_id: SESSION, status, created_at: "2026-02-16T14:00:00Z", ...extra } as TaskState;
}

function folded(events: readonly Numbered[]): SessionFold {
  const fold = new SessionFold();
  for (const { seq, event } of events) fold.add(seq, event);
  return fold;
}

type Options = { tasks?: TaskState[]; sending?: boolean; stopping?: string; connection?: Connection };

function stands(events: readonly Numbered[], { tasks = [], sending = false, stopping, connection = OPEN }: Options = {}) {
  const byId = new Map(tasks.map((each) => [each.task_id, each]));
  const sessionId = events.length + tasks.length === 0 ? null : SESSION;
  return standing(folded(events), byId, { sending, stopping: stopping ?? null, connection, sessionId });
}

test("without a session it is idle, and while a request is on its way it is busy", () => {
  expect(stands([])).toMatchObject({ word: "idle", isBusy: false });
  expect(stands([], { sending: true })).toMatchObject({ word: "sending", isBusy: true });
});

test("a task that was admitted is seen before its first event", () => {
  expect(stands([], { tasks: [task("queued")] })).toMatchObject({ word: "queued", isBusy: true });
  expect(stands([], { tasks: [task("running")] })).toMatchObject({ word: "running", isBusy: true });
});

test("the next task of a session is seen although the last one has ended", () => {
  const first = [script.prompt("one"), script.complete()];
  script.task = "task-2";
  expect(stands(first, { tasks: [task("running")] })).toMatchObject({ word: "running", taskId: "task-2" });
});

test("a task that a limit stops is parked, and says until when if it goes on by itself", () => {
  const parked = { reason: "usage_limit", since: "2026-02-16T14:01:00Z", until: "2026-02-16T16:00:00Z", attempt: 1 } as const;
  const events = [script.prompt("go")];
  const byItself = task("parked", { parked: { ...parked, resumes: true } });
  expect(stands(events, { tasks: [byItself] })).toMatchObject({ word: "parked", what: parked.until, isBusy: true });
  const byHand = task("parked", { parked: { ...parked, resumes: false } });
  expect(stands(events, { tasks: [byHand] })).toMatchObject({ word: "parked", what: null });
});

test("it says which tool runs, on what, and when it thinks", () => {
  const events = [script.prompt("go"), script.call("1", "Bash", { command: "make test\nmore" })];
  expect(stands(events, { tasks: [task("running")] })).toMatchObject({ word: "running", what: "make test" });
  const fold = folded([...events, script.result("1", "ok")]);
  fold.addLive(script.live("thinking_delta", "hm", { message_id: "m", block: 0 }));
  const local = { sending: false, stopping: null, connection: OPEN, sessionId: SESSION };
  expect(standing(fold, new Map(), local)).toMatchObject({ word: "thinking" });
});

test("silence and stopping have words of their own", () => {
  const events = [script.prompt("go")];
  const stalled = task("running", { stalled: { since: "2026-02-16T14:01:00Z" } });
  expect(stands(events, { tasks: [stalled] })).toMatchObject({ word: "stalled" });
  expect(stands(events, { tasks: [stalled], stopping: script.task })).toMatchObject({ word: "stopping", isBusy: true });
  // Its end can be in the log before its last process is gone.
  const ended = [...events, script.complete("cancelled")];
  expect(stands(ended, { stopping: script.task })).toMatchObject({ word: "stopping", isBusy: true });
});

test.each(["reconnecting", "offline"] as const)("while it is %s nothing is claimed of a task that ran", (state) => {
  const connection: Connection = { state, since: 0 };
  expect(stands([script.prompt("go")], { connection })).toMatchObject({ word: "not_known", mark: "unknown" });
  expect(stands([script.prompt("go"), script.complete()], { connection })).toMatchObject({ word: "completed" });
});

test.each(["completed", "cancelled", "interrupted"] as const)("the log tells that it is %s", (status) => {
  expect(stands([script.prompt("go"), script.complete(status)])).toMatchObject({ word: status, isBusy: false, what: null });
});

test("a failure says why in one line", () => {
  const events = [script.prompt("go"), script.error("no such model\nat line 3"), script.complete("failed")];
  expect(stands(events)).toMatchObject({ word: "failed", what: "no such model" });
});

test("an answer that comes late does not take back what the socket has told", () => {
  const { put } = useTasks.getState();
  put(task("running"));
  put(task("queued"));
  expect(useTasks.getState().byId.get(script.task)?.status).toBe("running");
  put(task("completed"));
  put(task("running"));
  expect(useTasks.getState().byId.get(script.task)?.status).toBe("completed");
});
