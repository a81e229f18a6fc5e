// What was asked in this session, and which of what waits is open: one panel at a time, in the order of asking unless a
// person picks another.

import { createContext, useCallback, useContext, useMemo, useState } from "react";

import type { SessionFold } from "@/shared/events/fold";
import { waits, type AskingRow, type Row } from "@/shared/events/rows";

/** One that was picked, or whatever is open after the one that was answered. */
export type Wanted = { readonly key: string } | { readonly after: string };

export type Askings = {
  readonly all: readonly AskingRow[];
  readonly pending: readonly AskingRow[];
  /** The one whose panel is open. */
  readonly active: AskingRow | null;
  /** Where a person is to be taken, once for each time that it is asked for. */
  readonly wanted: Wanted | null;
  readonly open: (key: string) => void;
  /** A person has answered here: on to what waits next, if something does. */
  readonly goOn: (answered: string) => void;
};

const NONE: Askings = { all: [], pending: [], active: null, wanted: null, open: () => {}, goOn: () => {} };
const AskingsContext = createContext<Askings>(NONE);
export const AskingsProvider = AskingsContext.Provider;
export const useAskings = (): Askings => useContext(AskingsContext);

export function useSessionAskings(fold: SessionFold, version: number): Askings {
  const [chosen, setChosen] = useState<string | null>(null);
  const [wanted, setWanted] = useState<Wanted | null>(null);
  // The fold is one object that grows: its version tells when it did.
  // oxlint-disable-next-line react/exhaustive-deps
  const all = useSameRows(useMemo(() => fold.askings(), [fold, version]));
  const pending = useMemo(() => all.filter(waits), [all]);
  const active = pending.find(({ key }) => key === chosen) ?? pending[0] ?? null;
  const open = useCallback((key: string) => {
    setChosen(key);
    setWanted({ key });
  }, []);
  const goOn = useCallback((after: string) => setWanted({ after }), []);
  return useMemo(() => ({ all, pending, active, wanted, open, goOn }), [all, pending, active, wanted, open, goOn]);
}

/** The same array while its rows are the same: what shows none of them is not drawn again with every event. */
function useSameRows(rows: readonly AskingRow[]): readonly AskingRow[] {
  const [kept, setKept] = useState(rows);
  const isSame = rows.length === kept.length && rows.every((row, index) => row === kept[index]);
  if (!isSame) setKept(rows);
  return isSame ? kept : rows;
}

/** In a sub-agent's card, too. */
export function holdsRow(row: Row, key: string): boolean {
  return row.key === key || (row.kind === "tool" && row.children.some((child) => holdsRow(child, key)));
}
