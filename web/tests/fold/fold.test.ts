import { expect, test } from "vitest";

import { SessionFold } from "@/shared/events/fold";
import type { Row, SpeechRow, ToolRow } from "@/shared/events/rows";

import { Script, type Numbered } from "./events";

function folded(...events: Numbered[]): SessionFold {
  const fold = new SessionFold();
  for (const { seq, event } of events) fold.add(seq, event);
  return fold;
}

const kinds = (fold: SessionFold) => fold.rows.map((row) => row.kind);
const tool = (row: Row | undefined) => row as ToolRow;
const speech = (row: Row | undefined) => row as SpeechRow;

test("every kind of event becomes a row of its kind, in the order in which it came", () => {
  const s = new Script();
  const fold = folded(
    s.prompt("do it"),
    s.info("ready", { model: "m" }),
    s.thinking("hm"),
    s.call("1", "Bash", { command: "ls" }),
    s.result("1", "a.txt"),
    s.text("done"),
    s.error("it broke"),
    s.complete("failed"),
  );
  expect(kinds(fold)).toEqual(["prompt", "info", "thinking", "tool", "text", "error", "complete"]);
});

test("each task is a round, and what its first event says of it is kept", () => {
  const s = new Script();
  const first = [s.prompt("one", { offline: true }), s.complete()];
  s.task = "task-2";
  const fold = folded(...first, s.prompt("two"));
  expect(fold.rows.filter((row) => row.kind === "prompt").map((row) => [row.round, row.text])).toEqual([
    [1, "one"],
    [2, "two"],
  ]);
  expect(fold.tasks.get("task-1")).toMatchObject({ workingDir: "/work/shop", offline: true });
  expect(fold.tasks.get("task-1")?.complete?.metadata.status).toBe("completed");
});

test("how an agent gets on is no row of the thread", () => {
  const s = new Script();
  const fold = folded(s.prompt("go"));
  fold.addLive(s.live("agent_progress", "Running ls", { agent: { agent_id: "a", state: "running" } }));
  expect(kinds(fold)).toEqual(["prompt"]);
});

test("what becomes of an agent is told by the call that began it, else in a line", () => {
  const s = new Script();
  const agent = (id: string | null) => ({ agent: { agent_id: "a", tool_use_id: id, state: "running" } });
  const fold = folded(
    s.prompt("go"),
    s.call("1", "Agent", { description: "look" }),
    s.info("an agent runs", agent("1")),
    s.info("an agent of before runs", agent(null)),
  );
  expect(kinds(fold)).toEqual(["prompt", "tool", "info"]);
});

test("what a person says while a task runs is one row, wherever it is on its way", () => {
  const s = new Script();
  const said = (receipt: string, more = {}) => s.info(receipt, { message_id: "m", receipt, ...more });
  const fold = folded(
    s.prompt("go"),
    said("accepted", { message: { content: "be quick", mode: "steer", uuid: "u" } }),
    s.text("yes"),
  );
  expect(fold.rows[1]).toMatchObject({ kind: "said", text: "be quick", receipt: "accepted" });
  for (const { seq, event } of [said("delivered"), said("refused", { reason: "it has ended" })]) fold.add(seq, event);
  expect(kinds(fold)).toEqual(["prompt", "said", "text"]);
  expect(fold.rows[1]).toMatchObject({ receipt: "refused", reason: "it has ended" });
});

test("pieces that come live grow one row, and the whole takes their place in it", () => {
  const s = new Script();
  const fold = folded(s.prompt("go"));
  const block = { message_id: "m", block: 0 };
  fold.addLive(s.live("text_delta", "Hel", block));
  fold.addLive(s.live("text_delta", "lo", block));
  expect(speech(fold.rows[1])).toMatchObject({ text: "Hello", streaming: true });
  const { event } = s.text("Hello, world", block);
  fold.add(2, event);
  expect(fold.rows).toHaveLength(2);
  expect(speech(fold.rows[1])).toMatchObject({ text: "Hello, world", streaming: false });
});

test("lost pieces are made good by the whole", () => {
  const s = new Script();
  const fold = folded(s.prompt("go"));
  const block = { message_id: "m", block: 0 };
  fold.addLive(s.live("thinking_delta", "only the middle", block));
  fold.add(2, s.thinking("beginning, middle, end", block).event);
  expect(speech(fold.rows[1]).text).toBe("beginning, middle, end");
});

test("a piece that comes after its whole changes nothing", () => {
  const s = new Script();
  const block = { message_id: "m", block: 0 };
  const fold = folded(s.prompt("go"), s.text("whole", block));
  fold.addLive(s.live("text_delta", " and more", block));
  expect(speech(fold.rows[1]).text).toBe("whole");
});

test("a call's input is seen while it is typed, and its children stay when it is called", () => {
  const s = new Script();
  const fold = folded(s.prompt("go"));
  fold.addLive(s.live("tool_input_delta", '{"comm', { tool_use_id: "1", tool_name: "Bash" }));
  fold.addLive(s.live("tool_input_delta", 'and": "ls', { tool_use_id: "1", tool_name: "Bash" }));
  expect(tool(fold.rows[1])).toMatchObject({ state: "typing", typed: '{"command": "ls' });
  fold.add(2, s.call("1", "Bash", { command: "ls" }).event);
  expect(fold.rows).toHaveLength(2);
  expect(tool(fold.rows[1])).toMatchObject({ state: "running", typed: "", input: { command: "ls" } });
});

test("a result finds its call, however much stands between them", () => {
  const s = new Script();
  const fold = folded(
    s.prompt("go"),
    s.call("1", "Bash"),
    s.call("2", "Read"),
    s.text("meanwhile"),
    s.result("2", "two", { is_error: true }),
    s.result("1", "one", { files_changed: ["a.txt"] }),
  );
  expect(tool(fold.rows[1])).toMatchObject({ state: "done", result: "one", filesChanged: ["a.txt"] });
  expect(tool(fold.rows[2])).toMatchObject({ state: "failed", result: "two" });
});

test("what a sub-agent says stands below the call that began it, to any depth", () => {
  const s = new Script();
  const fold = folded(
    s.prompt("go"),
    s.call("1", "Task"),
    s.call("2", "Task", {}, { parent_tool_use_id: "1" }),
    s.call("3", "Read", {}, { parent_tool_use_id: "2" }),
    s.result("3", "read", { parent_tool_use_id: "2" }),
    s.text("inner words", { parent_tool_use_id: "2" }),
  );
  expect(kinds(fold)).toEqual(["prompt", "tool"]);
  const inner = tool(tool(fold.rows[1]).children[0]);
  expect(inner.children.map((row) => row.kind)).toEqual(["tool", "text"]);
  expect(tool(inner.children[0])).toMatchObject({ state: "done", result: "read" });
});

test("the end of a task leaves no call running and no sentence being typed", () => {
  const s = new Script();
  const fold = folded(s.prompt("go"), s.call("1", "Task"), s.call("2", "Bash", {}, { parent_tool_use_id: "1" }));
  fold.addLive(s.live("text_delta", "half a sen", { message_id: "m", block: 0 }));
  fold.addLive(s.live("tool_input_delta", '{"a', { tool_use_id: "3", tool_name: "Bash" }));
  fold.add(4, { ...s.complete("interrupted").event });
  expect(tool(fold.rows[1]).state).toBe("unknown");
  expect(tool(tool(fold.rows[1]).children[0]).state).toBe("unknown");
  expect(speech(fold.rows[2])).toMatchObject({ text: "half a sen", streaming: false });
  expect(tool(fold.rows[3]).state).toBe("unknown");
});

test("an event that comes twice is folded once", () => {
  const s = new Script();
  const prompt = s.prompt("go");
  const twice = s.text("once");
  const fold = folded(prompt, twice, twice, prompt);
  expect(kinds(fold)).toEqual(["prompt", "text"]);
});

test("a new subscription forgets what was typed live, and keeps what is in the log", () => {
  const s = new Script();
  const fold = folded(s.prompt("go"), s.call("1", "Bash"));
  fold.addLive(s.live("text_delta", "half", { message_id: "m", block: 0 }));
  fold.addLive(s.live("tool_input_delta", "{", { tool_use_id: "2", tool_name: "Read" }));
  fold.dropLive();
  expect(kinds(fold)).toEqual(["prompt", "tool"]);
  fold.add(3, s.result("1", "found").event);
  expect(tool(fold.rows[1]).result).toBe("found");
});

test("only the row that an event touches is replaced", () => {
  const s = new Script();
  const fold = folded(s.prompt("go"), s.call("1", "Bash"), s.text("words"));
  const [prompt, call, text] = fold.rows;
  fold.add(4, s.result("1", "out").event);
  expect(fold.rows[0]).toBe(prompt);
  expect(fold.rows[1]).not.toBe(call);
  expect(fold.rows[2]).toBe(text);
});

test("a result whose call is no longer kept still tells of it", () => {
  const s = new Script();
  const fold = folded(s.result("1", "a.txt", { tool_name: "Bash" }));
  expect(tool(fold.rows[0])).toMatchObject({ name: "Bash", state: "done", result: "a.txt" });
});

test("a new subscription forgets what a sub-agent was typing, too", () => {
  const s = new Script();
  const fold = folded(s.prompt("do it"), s.call("1", "Task"));
  fold.addLive(s.live("text_delta", "half a sen", { message_id: "m", block: 0, parent_tool_use_id: "1" }));
  expect(tool(fold.rows[1]).children).toHaveLength(1);
  fold.dropLive();
  expect(tool(fold.rows[1]).children).toHaveLength(0);
});

test("a piece that cannot be told from others is not shown before its whole", () => {
  const s = new Script();
  const fold = folded(s.prompt("do it"));
  fold.addLive(s.live("text_delta", "half a sen"));
  expect(kinds(fold)).toEqual(["prompt"]);
});
