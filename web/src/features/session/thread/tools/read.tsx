// Read: a file with its own line numbers.

import { FileText } from "lucide-react";
import { useTranslation } from "react-i18next";

import { linesOf } from "@/features/session/thread/parts/clip";
import { useWholeText } from "@/features/session/thread/parts/whole-text";
import { field } from "@/features/session/thread/tools/input";
import { Fact, Foot, PlainResult } from "@/features/session/thread/tools/parts";
import { numberedLines, type NumberedLine } from "@/features/session/thread/tools/result";
import type { ToolView } from "@/features/session/thread/tools/view";
import type { ToolRow } from "@/shared/events/rows";

export const read: ToolView = {
  icon: FileText,
  argument: (input) => ({ text: field(input, "file_path") }),
  Facts: ReadFacts,
  Body: ReadBody,
  opens: "on failure",
};

function ReadFacts({ row }: { row: ToolRow }) {
  const { t } = useTranslation();
  const lines = numberedLines(linesOf(row.result ?? "")).filter((line) => line.number !== "").length;
  return lines > 0 && row.resultTruncated === null ? <Fact>{t("lines", { count: lines })}</Fact> : null;
}

function ReadBody({ row }: { row: ToolRow }) {
  const { text, more } = useWholeText(`${row.key}:result`, row.result ?? "", {
    cut: row.resultTruncated?.["/content"],
  });
  if (row.state !== "done") return <PlainResult row={row} />;
  return (
    <>
      <NumberedLines lines={numberedLines(linesOf(text))} />
      {more !== null && <Foot>{more}</Foot>}
    </>
  );
}

export function NumberedLines({ lines }: { lines: readonly NumberedLine[] }) {
  return (
    <div tabIndex={0} className="overflow-x-auto bg-sunken py-1.5 font-mono text-code leading-(--lh-code)">
      <div className="w-max min-w-full">
        {lines.map((line, place) => (
          <div key={place} className="grid grid-cols-[48px_minmax(max-content,1fr)] whitespace-pre">
            <span className="pr-3 text-right text-fg-3 select-none">{line.number}</span>
            <code className="pr-3">{line.text || " "}</code>
          </div>
        ))}
      </div>
    </div>
  );
}
