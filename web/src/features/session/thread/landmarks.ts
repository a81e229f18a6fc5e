// Where a long session is worth going to: the person's words, what went wrong, what was completed.

import type { Item } from "@/features/session/thread/items";

export type Landmark = {
  readonly kind: "prompt" | "error" | "complete" | "asking";
  readonly index: number;
  readonly name: string;
};

/** A line of the ruler: a landmark, or some of what lies between two, drawn as one. */
export type Tick = Landmark | { readonly kind: "between"; readonly index: number; readonly last: number };

const MOST_TICKS = 60;
const NAME_LENGTH = 40;

export function landmarksOf(items: readonly Item[]): Landmark[] {
  return items.flatMap((item, index) => landmark(item, index) ?? []);
}

export function ticksOf(items: readonly Item[]): Tick[] {
  const together = Math.ceil(items.length / MOST_TICKS);
  const ticks: Tick[] = [];
  items.forEach((item, index) => {
    const mark = landmark(item, index);
    const before = ticks.at(-1);
    if (mark !== null) ticks.push(mark);
    else if (before?.kind === "between" && index - before.index < together)
      ticks[ticks.length - 1] = { ...before, last: index };
    else ticks.push({ kind: "between", index, last: index });
  });
  return ticks;
}

/** The landmark after or before a place, or nothing. */
export function nextLandmark(landmarks: readonly Landmark[], from: number, step: 1 | -1): number | null {
  const ahead = landmarks.filter(({ index }) => (step === 1 ? index > from : index < from));
  return (step === 1 ? ahead[0] : ahead.at(-1))?.index ?? null;
}

function landmark(item: Item, index: number): Landmark | null {
  if (item.kind !== "row") return null;
  const { row } = item;
  if (row.kind === "asking") {
    return { kind: row.kind, index, name: row.asked[0]?.question.question_text.slice(0, NAME_LENGTH) ?? "" };
  }
  if (row.kind !== "prompt" && row.kind !== "error" && row.kind !== "complete") return null;
  return { kind: row.kind, index, name: row.text.trim().split("\n", 1)[0]!.slice(0, NAME_LENGTH) };
}
