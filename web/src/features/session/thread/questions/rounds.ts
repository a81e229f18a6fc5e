// The rounds of questions of a session: a round is one asking. Pure.

import { waits, type AskingRow } from "@/shared/events/rows";

export function roundOf(row: AskingRow): number | null {
  return row.asked[0]?.question.round ?? null;
}

/** What was asked before and is settled, the oldest first. */
export function earlierThan(row: AskingRow, all: readonly AskingRow[]): readonly AskingRow[] {
  const round = roundOf(row);
  if (round === null) return [];
  return all.filter((each) => (roundOf(each) ?? round) < round && !waits(each));
}

export type Progress = {
  readonly round: number;
  /** As many as are known: what will still be asked nobody knows. */
  readonly total: number;
  readonly answered: number;
};

export function progressOf(row: AskingRow, all: readonly AskingRow[]): Progress | null {
  const round = roundOf(row);
  if (round === null) return null;
  const rounds = all.flatMap((each) => roundOf(each) ?? []);
  const answered = new Set(all.flatMap((each) => (waits(each) ? [] : (roundOf(each) ?? []))));
  return { round, total: Math.max(round, ...rounds), answered: answered.size };
}
