import { expect, test } from "vitest";

import { afterScroll, FOLLOWING, unseen, type Follow, type Scroll } from "@/features/session/thread/follow";

const READING: Follow = { state: "reading", seen: 10 };

function scroll(change: Partial<Scroll>): Scroll {
  return { offset: 500, offsetBefore: 600, distanceFromEnd: 100, byPerson: true, ...change };
}

test("a person who scrolls up is no longer taken along", () => {
  expect(afterScroll(FOLLOWING, scroll({}), 10)).toEqual(READING);
});

test("rows that grow below do not count as a person who scrolled", () => {
  expect(afterScroll(FOLLOWING, scroll({ offset: 600, distanceFromEnd: 900, byPerson: false }), 10)).toBe(FOLLOWING);
  expect(afterScroll(FOLLOWING, scroll({ byPerson: false }), 10)).toBe(FOLLOWING);
});

test("a person who comes back to the end is taken along again", () => {
  expect(afterScroll(READING, scroll({ offset: 700, distanceFromEnd: 10 }), 22)).toBe(FOLLOWING);
});

test("a person who goes on reading up, or stops short of the end, stays", () => {
  expect(afterScroll(READING, scroll({ distanceFromEnd: 10 }), 22)).toBe(READING);
  expect(afterScroll(READING, scroll({ offset: 700, distanceFromEnd: 300 }), 22)).toBe(READING);
});

test("what came meanwhile is counted, and never less than nothing", () => {
  expect(unseen(FOLLOWING, 22)).toBe(0);
  expect(unseen(READING, 22)).toBe(12);
  expect(unseen(READING, 3)).toBe(0);
});
