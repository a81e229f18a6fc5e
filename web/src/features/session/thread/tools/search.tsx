// Grep, Glob and LS: what was found, by file.

import { FolderSearch, Search } from "lucide-react";
import { useTranslation } from "react-i18next";

import { linesOf } from "@/features/session/thread/parts/clip";
import { useWholeText } from "@/features/session/thread/parts/whole-text";
import { field, type Input } from "@/features/session/thread/tools/input";
import { Fact, Foot, Nothing, PlainResult } from "@/features/session/thread/tools/parts";
import { NumberedLines } from "@/features/session/thread/tools/read";
import { hitsByFile } from "@/features/session/thread/tools/result";
import { useShortPath } from "@/features/session/thread/tools/use-short-path";
import type { ToolView } from "@/features/session/thread/tools/view";
import type { ToolRow } from "@/shared/events/rows";

export const grep: ToolView = {
  icon: Search,
  argument: (input) => ({ text: joined([`"${field(input, "pattern")}"`, ...places(input)]) }),
  Facts: SearchFacts,
  Body: SearchBody,
  opens: "on failure",
};

export const glob: ToolView = {
  ...grep,
  icon: FolderSearch,
  argument: (input) => ({ text: joined([field(input, "pattern"), ...places(input)]) }),
};

function places(input: Input): string[] {
  return [field(input, "path"), field(input, "glob")];
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" · ");
}

function SearchFacts({ row }: { row: ToolRow }) {
  const { t } = useTranslation();
  if (row.state !== "done" || row.resultTruncated !== null) return null;
  const found = hitsByFile(linesOf(row.result ?? ""));
  const hits = found.reduce((sum, file) => sum + file.lines.length, 0);
  return (
    <Fact>{hits > 0 ? t("hits_in_files", { hits, files: found.length }) : t("files", { count: found.length })}</Fact>
  );
}

function SearchBody({ row }: { row: ToolRow }) {
  const shorten = useShortPath(row.taskId);
  const { text, more } = useWholeText(`${row.key}:result`, row.result ?? "", {
    cut: row.resultTruncated?.["/content"],
  });
  if (row.state !== "done") return <PlainResult row={row} />;
  const found = hitsByFile(linesOf(text));
  if (found.length === 0) return <Nothing words="nothing_found" />;
  return (
    <>
      <ul className="divide-y divide-line-soft bg-sunken">
        {found.map(({ file, lines }) => (
          <li key={file}>
            <p className="px-3 py-1 font-mono text-code wrap-anywhere text-fg-2">{shorten(file)}</p>
            {lines.length > 0 && <NumberedLines lines={lines} />}
          </li>
        ))}
      </ul>
      {more !== null && <Foot>{more}</Foot>}
    </>
  );
}
