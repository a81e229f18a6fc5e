// One card for a call and its result: what is done in its line, what came of it below.

import { useContext, useId } from "react";
import { useTranslation } from "react-i18next";

import { useFold } from "@/features/session/thread/folds";
import { FoldButton } from "@/features/session/thread/parts/fold-button";
import { DepthContext } from "@/features/session/thread/thread-context";
import { ToolEdge } from "@/features/session/thread/tools/edge";
import { inputOf } from "@/features/session/thread/tools/input";
import { ToolOutcome } from "@/features/session/thread/tools/outcome";
import { opensByItself, viewOf } from "@/features/session/thread/tools/table";
import { useShortPath } from "@/features/session/thread/tools/use-short-path";
import type { ToolRow } from "@/shared/events/rows";
import { cx } from "@/shared/ui/cx";

export function ToolCard({ row }: { row: ToolRow }) {
  const depth = useContext(DepthContext);
  const [open, toggle] = useFold(row.key, opensByItself(row, depth));
  const { Body } = viewOf(row.name);
  const body = useId();
  return (
    <div className="relative min-w-0 pl-(--inset)">
      <ToolEdge state={row.state} open={open} />
      <FoldButton
        open={open}
        onToggle={toggle}
        body={body}
        className={cx(
          "-ml-(--outdent) min-h-(--row-h) w-[calc(100%+var(--outdent))] border hover:bg-hover",
          "px-[calc(var(--outdent)-1px)]",
          open ? "rounded-t-3 border-line border-b-line-soft" : "rounded-2 border-transparent",
        )}
      >
        <ToolLine row={row} />
      </FoldButton>
      {open && (
        <div id={body} className="-ml-(--outdent) overflow-hidden rounded-b-3 border border-t-0 border-line">
          <Body row={row} />
        </div>
      )}
    </div>
  );
}

function ToolLine({ row }: { row: ToolRow }) {
  const { t } = useTranslation();
  const shorten = useShortPath(row.taskId);
  const { icon: Icon, name, argument, Facts } = viewOf(row.name);
  const input = inputOf(row);
  const { text, isProse = false } = argument(input, t);
  return (
    <>
      <Icon aria-hidden size={16} strokeWidth={1.5} className="shrink-0 text-green-fg" />
      <b className="whitespace-nowrap">{name?.(input, t) ?? row.name}</b>
      <span className={cx("min-w-0 flex-1 truncate text-fg-2", !isProse && "font-mono text-code")}>
        {isProse ? text : shorten(text)}
      </span>
      <span className="flex items-center gap-2 text-sm whitespace-nowrap text-fg-3">
        {(row.state === "done" || row.state === "failed") && <Facts row={row} />}
        <ToolOutcome row={row} />
      </span>
    </>
  );
}
