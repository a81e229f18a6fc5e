// What stands in the thread, one below the other: the rows, with runs of reads and searches drawn together.

import type { Row, ToolRow } from "@/shared/events/rows";

export type RowItem = {
  readonly kind: "row";
  readonly key: string;
  readonly row: Row;
  /** When what was before this row was over: a thought began then. */
  readonly since: string | null;
};

export type LookupsItem = { readonly kind: "lookups"; readonly key: string; readonly rows: readonly ToolRow[] };

export type Item = RowItem | LookupsItem;

const READS = new Set(["Read"]);
const SEARCHES = new Set(["Grep", "Glob", "LS"]);
const FEWEST_TOGETHER = 3;

/** `since` is when the first of the rows began, where that is known. */
export function itemsOf(rows: readonly Row[], since: string | null = null): Item[] {
  const items: Item[] = [];
  for (let index = 0; index < rows.length;) {
    const run = lookupsFrom(rows, index);
    if (run.length >= FEWEST_TOGETHER) {
      items.push({ kind: "lookups", key: `lookups:${run[0]!.key}`, rows: run });
      index += run.length;
    } else {
      const row = rows[index]!;
      items.push({ kind: "row", key: row.key, row, since: index === 0 ? since : overAt(rows[index - 1]!) });
      index += 1;
    }
  }
  return items;
}

export function countLookups(rows: readonly ToolRow[]): { reads: number; searches: number } {
  const reads = rows.filter((row) => READS.has(row.name)).length;
  return { reads, searches: rows.length - reads };
}

function lookupsFrom(rows: readonly Row[], first: number): ToolRow[] {
  const run: ToolRow[] = [];
  for (let index = first; index < rows.length; index += 1) {
    const row = rows[index]!;
    if (row.kind !== "tool" || row.state !== "done" || !(READS.has(row.name) || SEARCHES.has(row.name))) break;
    run.push(row);
  }
  return run;
}

function overAt(row: Row): string | null {
  return row.kind === "tool" ? row.endedAt : row.time;
}

export type Gap = "none" | "tool" | "card" | "voice" | "round";

/** How much air stands above an item: lines of tools are close, voices apart, rounds further. */
export function gapAbove(item: Item, above: Item | undefined, isOpen: (item: Item) => boolean): Gap {
  if (above === undefined) return "none";
  if (item.kind === "row" && item.row.kind === "prompt") return "round";
  if (!isTool(item) || !isTool(above)) return "voice";
  return isOpen(item) || isOpen(above) ? "card" : "tool";
}

function isTool(item: Item): boolean {
  return item.kind === "lookups" || item.row.kind === "tool";
}
