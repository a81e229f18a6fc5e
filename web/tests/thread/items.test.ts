import { expect, test } from "vitest";

import { countLookups, gapAbove, itemsOf, type Item } from "@/features/session/thread/items";
import { landmarksOf, nextLandmark, ticksOf } from "@/features/session/thread/landmarks";
import { SessionFold } from "@/shared/events/fold";

import { Script, type Numbered } from "../fold/events";

function itemsFrom(...events: Numbered[]): Item[] {
  const fold = new SessionFold();
  for (const { seq, event } of events) fold.add(seq, event);
  return itemsOf(fold.rows);
}

function done(s: Script, name: string, id: string): Numbered[] {
  return [s.call(id, name), s.result(id, "")];
}

const shape = (items: readonly Item[]) => items.map((item) => (item.kind === "row" ? item.row.kind : item.rows.length));

test("three reads and searches in a row are drawn together, two are not", () => {
  const s = new Script();
  const two = [...done(s, "Read", "1"), ...done(s, "Grep", "2")];
  const words = s.text("hm");
  const four = ["Read", "Glob", "LS", "Read"].flatMap((name, place) => done(s, name, `b${place}`));
  const items = itemsFrom(...two, words, ...four);
  expect(shape(items)).toEqual(["tool", "tool", "text", 4]);
  const run = items[3]!;
  expect(run.kind === "lookups" && countLookups(run.rows)).toEqual({ reads: 2, searches: 2 });
});

test("what runs or failed, and every other tool, stands for itself", () => {
  const s = new Script();
  const items = itemsFrom(
    ...done(s, "Read", "1"),
    ...done(s, "Read", "2"),
    s.call("3", "Read"),
    s.result("3", "no such file", { is_error: true }),
    ...done(s, "Read", "4"),
    ...done(s, "Bash", "5"),
    ...done(s, "Read", "6"),
    s.call("7", "Read"),
  );
  expect(shape(items)).toEqual(Array.from({ length: 7 }, () => "tool"));
});

test("a thought began when what was before it was over", () => {
  const s = new Script();
  const items = itemsFrom(s.call("1", "Bash"), s.result("1", ""), s.wait(13).thinking("hm"));
  const thought = items[1]!;
  expect(thought.kind === "row" && Date.parse(thought.row.time) - Date.parse(thought.since!)).toBe(14_000);
});

test("lines of tools are close, open cards less so, voices apart, rounds further", () => {
  const s = new Script();
  const items = itemsFrom(
    s.prompt("go"),
    s.text("a"),
    ...done(s, "Bash", "1"),
    ...done(s, "Bash", "2"),
    s.prompt("again"),
  );
  s.task = "task-2";
  const next = itemsFrom(s.prompt("again"))[0]!;
  const closed = () => false;
  expect(items.slice(0, 4).map((item, place) => gapAbove(item, items[place - 1], closed))).toEqual([
    "none",
    "voice",
    "voice",
    "tool",
  ]);
  expect(gapAbove(items[3]!, items[2], (item) => item === items[2])).toBe("card");
  expect(gapAbove(next, items[3], closed)).toBe("round");
});

test("the ruler marks what one looks for, and draws what is between as few lines", () => {
  const s = new Script();
  const items = itemsFrom(
    s.prompt("fix it\nplease"),
    ...Array.from({ length: 300 }, (_, place) => s.text(String(place))),
    s.error("it broke"),
    s.complete("failed"),
  );
  const landmarks = landmarksOf(items);
  expect(landmarks.map(({ kind, index }) => [kind, index])).toEqual([
    ["prompt", 0],
    ["error", 301],
    ["complete", 302],
  ]);
  expect(landmarks[0]!.name).toBe("fix it");
  const ticks = ticksOf(items);
  expect(ticks.length).toBeLessThan(70);
  expect(ticks.filter((tick) => tick.kind !== "between")).toEqual(landmarks);
  expect(nextLandmark(landmarks, 0, 1)).toBe(301);
  expect(nextLandmark(landmarks, 301, -1)).toBe(0);
  expect(nextLandmark(landmarks, 302, 1)).toBeNull();
});
