// Questions as the log tells of them.

import { expect, test } from "vitest";

import { SessionFold } from "@/shared/events/fold";
import type { AskingRow } from "@/shared/events/rows";

import { Script, type Numbered } from "../fold/events";

function askings(...events: Numbered[]): AskingRow[] {
  const fold = new SessionFold();
  for (const { seq, event } of events) fold.add(seq, event);
  return fold.rows.filter((row) => row.kind === "asking");
}

const standing = (row: AskingRow | undefined) =>
  row?.asked.map(({ question, state, answer }) => [question.question_id, state, answer]);

test("the questions of one asking are one row, and each changes by itself", () => {
  const s = new Script();
  const rows = askings(
    s.prompt("go"),
    s.asks({ question_id: "1", question_text: "one?" }),
    s.asks({ question_id: "2", question_text: "two?" }),
    s.changes("2", "answered", { answer: "b", door: "api" }),
  );
  expect(rows).toHaveLength(1);
  expect(standing(rows[0])).toEqual([
    ["1", "pending", null],
    ["2", "answered", "b"],
  ]);
  expect(rows[0]?.asked[1]).toMatchObject({ answeredBy: "person", door: "api", reason: null });
});

test("another asking is a row of its own", () => {
  const s = new Script();
  const rows = askings(
    s.asks({ question_id: "1", question_text: "one?" }, "first"),
    s.asks({ question_id: "2", question_text: "one?" }, "second"),
  );
  expect(rows.map((row) => row.asked.length)).toEqual([1, 1]);
});

test("follow-ups that are asked one by one stand below what opened them", () => {
  const s = new Script();
  const [row, ...others] = askings(
    s.asks({ question_id: "1", question_text: "one?" }),
    s.changes("1", "answered", { answer: "a" }),
    s.asks({ question_id: "1a", question_text: "why?" }),
    s.changes("1a", "answered", { answer: "so" }),
  );
  expect(others).toEqual([]);
  expect(standing(row)).toEqual([
    ["1", "answered", "a"],
    ["1a", "answered", "so"],
  ]);
});

test("what a task's end takes with it waits no longer", () => {
  const s = new Script();
  const [row] = askings(
    s.prompt("go"),
    s.asks({ question_id: "1", question_text: "one?" }),
    s.changes("1", "cancelled", { answered_by: "task_end", door: null, reason: "stopped" }),
    s.complete("cancelled"),
  );
  expect(row?.asked[0]).toMatchObject({ state: "cancelled", answeredBy: "task_end", door: null, reason: "stopped" });
});

test("a change of a question that is not known changes nothing", () => {
  const s = new Script();
  expect(standing(askings(s.asks({ question_id: "1", question_text: "one?" }), s.changes("2", "answered"))[0])).toEqual([
    ["1", "pending", null],
  ]);
});

test("the call that asks has no card beside its question", () => {
  const s = new Script();
  const fold = new SessionFold();
  const events = [
    s.call("q", "mcp__glasshouse__ask_user_question"),
    s.asks({ question_id: "1", question_text: "one?" }),
    s.result("q", "answered", { tool_name: "mcp__glasshouse__ask_user_question" }),
  ];
  for (const { seq, event } of events) fold.add(seq, event);
  expect(fold.rows.map((row) => row.kind)).toEqual(["asking"]);
});
