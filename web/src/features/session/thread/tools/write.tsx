// Write: a file that is there now; all of it is new to the reader.

import { FilePlus } from "lucide-react";

import { linesOf } from "@/features/session/thread/parts/clip";
import { DiffCounts, DiffView } from "@/features/session/thread/parts/diff-view";
import { useWholeText } from "@/features/session/thread/parts/whole-text";
import { field, inputOf } from "@/features/session/thread/tools/input";
import { Foot, PlainResult } from "@/features/session/thread/tools/parts";
import type { ToolView } from "@/features/session/thread/tools/view";
import type { ToolRow } from "@/shared/events/rows";

export const write: ToolView = {
  icon: FilePlus,
  argument: (input) => ({ text: field(input, "file_path") }),
  Facts: WriteFacts,
  Body: WriteBody,
  opens: "always",
};

const CONTENT = "/tool_input/content";

function WriteFacts({ row }: { row: ToolRow }) {
  if (row.state === "failed" || row.inputTruncated?.[CONTENT] !== undefined) return null;
  return <DiffCounts added={linesOf(field(inputOf(row), "content")).length} removed={0} />;
}

function WriteBody({ row }: { row: ToolRow }) {
  const { text, more } = useWholeText(`${row.key}:content`, field(inputOf(row), "content"), {
    cut: row.inputTruncated?.[CONTENT],
  });
  return (
    <>
      <DiffView before="" after={text} path={field(inputOf(row), "file_path")} />
      {more !== null && <Foot>{more}</Foot>}
      {row.state === "failed" && <PlainResult row={row} />}
    </>
  );
}
