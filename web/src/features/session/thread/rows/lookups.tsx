// Reads and searches in a row, as one line: that it looked, not each place where.

import { BookOpen } from "lucide-react";
import { memo, useId } from "react";
import { useTranslation } from "react-i18next";

import { useFold } from "@/features/session/thread/folds";
import { countLookups } from "@/features/session/thread/items";
import { FoldButton } from "@/features/session/thread/parts/fold-button";
import { ToolCard } from "@/features/session/thread/tools/card";
import { ToolEdge } from "@/features/session/thread/tools/edge";
import type { ToolRow } from "@/shared/events/rows";

const LINE = "-ml-(--outdent) min-h-(--row-h) w-[calc(100%+var(--outdent))] rounded-2 px-(--outdent) hover:bg-hover";

type Props = { foldKey: string; rows: readonly ToolRow[] };

export const Lookups = memo(
  function Lookups({ foldKey, rows }: Props) {
    const [open, toggle] = useFold(foldKey);
    const body = useId();
    return (
      <div>
        <div className="relative pl-(--inset)">
          <ToolEdge state="done" open={false} />
          <FoldButton open={open} onToggle={toggle} body={body} className={LINE}>
            <BookOpen aria-hidden size={16} strokeWidth={1.5} className="shrink-0 text-green-fg" />
            <span className="min-w-0 flex-1 truncate text-fg-2">
              <LookupWords rows={rows} />
            </span>
          </FoldButton>
        </div>
        {open && (
          <div id={body} className="mt-(--gap-tool) flex flex-col gap-(--gap-tool)">
            {rows.map((row) => (
              <ToolCard key={row.key} row={row} />
            ))}
          </div>
        )}
      </div>
    );
  },
  (before, now) =>
    before.foldKey === now.foldKey &&
    before.rows.length === now.rows.length &&
    before.rows.every((row, place) => row === now.rows[place]),
);

function LookupWords({ rows }: { rows: readonly ToolRow[] }) {
  const { t } = useTranslation();
  const { reads, searches } = countLookups(rows);
  const read = t("read_files", { count: reads });
  const searched = t("searched", { count: searches });
  if (searches === 0) return read;
  if (reads === 0) return searched;
  return t("read_and_searched", { reads: read, searches: searched });
}
