// How long a question still waits and what comes then; or how long it has waited, where it waits for ever.

import { Timer } from "lucide-react";
import { useTranslation } from "react-i18next";

import { settlesItself } from "@/features/session/thread/questions/draft";
import { useThread } from "@/features/session/thread/thread-context";
import { askedKey, useAsked } from "@/shared/events/asked";
import { useNow } from "@/shared/events/live";
import type { AskingRow } from "@/shared/events/rows";
import { clock } from "@/shared/format";
import { cx } from "@/shared/ui/cx";

const SOON_MS = 60_000;

export function Clock({ row }: { row: AskingRow }) {
  const { t } = useTranslation();
  const dueAt = useDueAt(row);
  const now = useNow(true);
  if (dueAt === undefined) return null;
  if (dueAt === null) {
    return <span className="text-sm text-fg-2 tabular-nums">{t("has_waited", { time: clock(now - Date.parse(row.time)) })}</span>;
  }
  const left = dueAt - now;
  return (
    <span role="timer" className={cx("flex items-center gap-1.5 text-sm tabular-nums", left < SOON_MS ? "text-orange-fg" : "text-fg-2")}>
      <Timer aria-hidden size={14} strokeWidth={1.5} />
      {t(whatComesThen(row), { time: clock(left) })}
    </span>
  );
}

/** Of its questions the first whose time is over; undefined while the server has not told. */
function useDueAt({ asked }: AskingRow): number | null | undefined {
  const { sessionId } = useThread();
  return useAsked(({ waiting }) => {
    const known = asked.flatMap(({ question }) => waiting.get(askedKey(sessionId, question.question_id)) ?? []);
    if (known.length === 0) return undefined;
    const times = known.flatMap(({ dueAt }) => dueAt ?? []);
    return times.length === 0 ? null : Math.min(...times);
  });
}

function whatComesThen({ asked, taskId }: AskingRow) {
  const pending = asked.filter(({ state }) => state === "pending");
  if (pending.every(({ question }) => settlesItself(question))) return "due_default";
  return taskId === "" ? "due_unanswered" : "due_ends";
}
