// Which rounds are folded into one line: those that are over while a newer one is over too, unless a person opened them.

import { waits, type PromptRow, type Row } from "@/shared/events/rows";

/** Whether a round can be folded, and if so, whether it is. */
export type Folding = "never" | "open" | "folded";

export type Rounds = { readonly shown: readonly Row[]; readonly folding: ReadonlyMap<string, Folding> };

type Ask = {
  readonly isOver: (taskId: string) => boolean;
  readonly isOpen: (key: string, byItself: boolean) => boolean;
};

export function foldRounds(rows: readonly Row[], { isOver, isOpen }: Ask): Rounds {
  const prompts = rows.filter((row): row is PromptRow => row.kind === "prompt");
  const lastOver = prompts.findLastIndex((prompt) => isOver(prompt.taskId));
  const folding = new Map<string, Folding>();
  prompts.forEach((prompt, place) => {
    const canFold = place < lastOver && isOver(prompt.taskId);
    const open = isOpen(prompt.key, !canFold);
    if (canFold) folding.set(prompt.key, open ? "open" : "folded");
  });
  return { shown: folding.size === 0 ? rows : shownRows(rows, folding), folding };
}

function shownRows(rows: readonly Row[], folding: ReadonlyMap<string, Folding>): Row[] {
  let isFolded = false;
  return rows.filter((row) => {
    if (row.kind === "prompt") isFolded = folding.get(row.key) === "folded";
    // A program's question outlives the round that it came in.
    return row.kind === "prompt" || !isFolded || (row.kind === "asking" && waits(row));
  });
}
