// The end of a task: a receipt in one line.

import { CircleCheck, CircleSlash, CircleStop, CircleX, type LucideIcon } from "lucide-react";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";

import { Voice } from "@/features/session/thread/parts/edge";
import { useThread } from "@/features/session/thread/thread-context";
import type { TaskStatus } from "@/shared/api/types.gen";
import type { CompleteRow, Row } from "@/shared/events/rows";
import { dollars, duration } from "@/shared/format";
import { usePreferences } from "@/shared/preferences";

type End = {
  readonly icon: LucideIcon;
  readonly word: "end_completed" | "end_cancelled" | "end_interrupted" | "end_failed";
  readonly look: string;
};

export function endOf(status: TaskStatus): End {
  switch (status) {
    case "completed":
      return { icon: CircleCheck, word: "end_completed", look: "text-blue-fg" };
    case "cancelled":
      return { icon: CircleStop, word: "end_cancelled", look: "text-fg-2" };
    case "interrupted":
    case "parked":
      return { icon: CircleSlash, word: "end_interrupted", look: "text-fg-2" };
    case "failed":
    case "queued":
    case "running":
    case "waiting":
      return { icon: CircleX, word: "end_failed", look: "text-red-fg" };
  }
}

export function CompleteLine({ row }: { row: CompleteRow }) {
  const { t } = useTranslation();
  const { icon: Icon, word, look } = endOf(row.metadata.status);
  return (
    <Voice edge="bg-(--kind-complete)">
      <div className="flex min-h-7 flex-wrap items-baseline gap-x-5 gap-y-0.5 pt-0.75">
        <h3 className={`flex items-baseline gap-2 text-md ${look}`}>
          <Icon aria-hidden size={16} strokeWidth={1.5} className="self-center" />
          {t(word)}
        </h3>
        <Facts row={row} />
      </div>
    </Voice>
  );
}

function Facts({ row }: { row: CompleteRow }) {
  const { t } = useTranslation();
  const { fold } = useThread();
  const language = usePreferences((chosen) => chosen.language);
  const { duration_ms: ms, cost_usd: cost, num_turns: turns, files_changed: files = [] } = row.metadata;
  const tools = useMemo(() => toolCounts(fold.rows, row.taskId), [fold, row.taskId]);
  return (
    <dl className="contents">
      {ms != null && (
        <Fact name={t("fact_duration")} value={duration(ms, language)} title={`${ms.toLocaleString("en-US")} ms`} />
      )}
      {cost != null && (
        <Fact name={t("fact_cost")} value={fold.tasks.get(row.taskId)?.offline === true ? t("free") : dollars(cost)} />
      )}
      {turns != null && <Fact name={t("fact_turns")} value={String(turns)} />}
      {tools !== "" && <Fact name={t("fact_tools")} value={tools} />}
      <Fact
        name={t("fact_changes")}
        value={files.length === 0 ? t("no_changes") : t("files", { count: files.length })}
        title={files.join("\n")}
      />
    </dl>
  );
}

function Fact({ name, value, title = "" }: { name: string; value: string; title?: string }) {
  return (
    <div className="flex items-baseline gap-1.5">
      <dt className="text-sm whitespace-nowrap text-fg-3">{name}</dt>
      <dd title={title === "" ? undefined : title}>{value}</dd>
    </div>
  );
}

/** "Read 6 · Grep 3 · Bash 2": a task's own calls; its sub-agents count as one each. */
export function toolCounts(rows: readonly Row[], taskId: string): string {
  const counts = new Map<string, number>();
  for (const row of rows) {
    if (row.kind === "tool" && row.taskId === taskId) counts.set(row.name, (counts.get(row.name) ?? 0) + 1);
  }
  return [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .map(([name, count]) => `${name} ${count}`)
    .join(" · ");
}
