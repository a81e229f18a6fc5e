import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { SessionFeed } from "@/shared/events/session";

import { Script } from "./events";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "requestAnimationFrame", "cancelAnimationFrame"] });
});
afterEach(() => {
  vi.useRealTimers();
});

test("events are shown a frame at a time, and the feed says when all that was there is shown", () => {
  const s = new Script();
  const feed = new SessionFeed("s");
  const seen = vi.fn();
  feed.watch(seen);
  for (const { seq, event } of [s.prompt("go"), s.text("a"), s.text("b")]) feed.event(seq, event);
  feed.caughtUp(3);
  expect(seen).not.toHaveBeenCalled();
  vi.runAllTimers();
  expect(seen).toHaveBeenCalledTimes(1);
  expect(feed.isCaughtUp).toBe(true);
  expect(feed.fold.rows).toHaveLength(3);
});

test("a flood is shown in parts, so that the page stays awake", () => {
  const s = new Script();
  const feed = new SessionFeed("s");
  const seen = vi.fn();
  feed.watch(seen);
  for (let count = 0; count < 1200; count += 1) {
    const { seq, event } = s.text(String(count));
    feed.event(seq, event);
  }
  vi.runAllTimers();
  expect(seen).toHaveBeenCalledTimes(3);
  expect(feed.fold.rows).toHaveLength(1200);
});

test("a log that begins anew is folded anew, from the first event that is kept", () => {
  const s = new Script();
  const feed = new SessionFeed("s");
  const first = s.prompt("go");
  feed.event(first.seq, first.event);
  vi.runAllTimers();
  feed.restart(40);
  expect(feed.position()).toBe(39);
  feed.event(40, s.text("what is left").event);
  vi.runAllTimers();
  expect(feed.fold.rows.map((row) => row.kind)).toEqual(["text"]);
});
