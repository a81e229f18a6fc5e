// Edit and MultiEdit: what was there and what is there now.

import { Pencil } from "lucide-react";
import { useMemo } from "react";

import { diffOf, type Diff } from "@/features/session/thread/parts/diff";
import { DiffCounts, DiffView } from "@/features/session/thread/parts/diff-view";
import { field, inputOf, list, type Input } from "@/features/session/thread/tools/input";
import { PlainResult } from "@/features/session/thread/tools/parts";
import type { ToolView } from "@/features/session/thread/tools/view";
import type { ToolRow } from "@/shared/events/rows";

export const edit: ToolView = {
  icon: Pencil,
  argument: (input) => ({ text: pathOf(input) }),
  Facts: EditFacts,
  Body: EditBody,
  opens: "always",
};

function EditFacts({ row }: { row: ToolRow }) {
  const diffs = useMemo(() => editsOf(inputOf(row)).map(({ before, after }) => diffOf(before, after)), [row]);
  if (row.state === "failed") return null;
  const sum = (count: (diff: Diff) => number) => diffs.reduce((all, diff) => all + count(diff), 0);
  return <DiffCounts added={sum((diff) => diff.added)} removed={sum((diff) => diff.removed)} />;
}

function EditBody({ row }: { row: ToolRow }) {
  const input = inputOf(row);
  return (
    <div className="divide-y divide-line-soft">
      {editsOf(input).map(({ before, after }, place) => (
        <DiffView key={place} before={before} after={after} path={pathOf(input)} />
      ))}
      {row.state === "failed" && <PlainResult row={row} />}
    </div>
  );
}

function pathOf(input: Input): string {
  return field(input, "file_path") || field(input, "notebook_path");
}

type Change = { readonly before: string; readonly after: string };

function editsOf(input: Input): Change[] {
  const several = list(input, "edits");
  return (several.length > 0 ? several : [input]).map((change) => ({
    before: field(change, "old_string"),
    after: field(change, "new_string") || field(change, "new_source"),
  }));
}
