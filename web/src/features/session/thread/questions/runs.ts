// What a directory carries that would run, by kind: what runs by itself comes first.

import type { AskedQuestion, Runs } from "@/shared/api/types.gen";

export type { Runs };

export const KINDS = [
  "hook",
  "mcp_server",
  "helper",
  "plugin",
  "schedule",
  "workflow",
  "variable",
  "permission",
  "command",
  "skill",
  "agent",
  "setting",
  "unreadable",
] as const;

type Kind = (typeof KINDS)[number];

export function byKind(runs: NonNullable<AskedQuestion["runs"]>): readonly { kind: Kind; runs: readonly Runs[] }[] {
  const groups = new Map<Kind, Runs[]>(KINDS.map((kind) => [kind, []]));
  for (const each of runs) {
    // The first versions had plain text here; of what later ones may add, no more is known than its words.
    const known = typeof each === "string" ? { kind: "setting", path: "", name: each, what: "" } : each;
    (groups.get(known.kind as Kind) ?? groups.get("setting")!).push(known);
  }
  return [...groups].filter(([, found]) => found.length > 0).map(([kind, found]) => ({ kind, runs: found }));
}
