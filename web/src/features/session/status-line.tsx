// One line that always says the truth, and beside it the figures of the task.

import type { TFunction } from "i18next";
import { Check, Copy } from "lucide-react";
import { memo, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";

import type { Standing, Word } from "@/features/session/standing";
import { useNow } from "@/shared/events/live";
import type { TaskFacts } from "@/shared/events/fold";
import { clock, dollars, duration } from "@/shared/format";
import { usePreferences } from "@/shared/preferences";
import { Button } from "@/shared/ui/button";
import { useCopied } from "@/shared/ui/copy-button";
import { cx } from "@/shared/ui/cx";
import { StateMark } from "@/shared/ui/state-mark";

const COLOURS: Partial<Record<Word, string>> = {
  sending: "text-blue-fg",
  running: "text-blue-fg",
  thinking: "text-blue-fg",
  stopping: "text-blue-fg",
  queued: "text-fg-2",
  completed: "text-blue-fg",
  waiting: "text-purple-fg",
  failed: "text-red-fg",
  stalled: "text-orange-fg",
  parked: "text-orange-fg",
};

type Props = {
  now: Standing;
  /** What its task began with, and came to. */
  facts: TaskFacts | undefined;
  sessionId: string | null;
  offline: boolean;
  onContinue: () => void;
  onUnpark: () => void;
};

export const StatusLine = memo(function StatusLine({ now, facts, sessionId, offline, onContinue, onUnpark }: Props) {
  const { t } = useTranslation();
  const isDemo = now.word === "idle" && offline;
  const changed = facts?.complete?.metadata.files_changed?.length ?? 0;
  return (
    <div className="flex min-h-8 items-center gap-4 text-ui text-fg-2">
      <p className="flex min-w-0 items-center gap-2">
        <StateMark mark={now.mark} />
        <b className={cx("whitespace-nowrap", COLOURS[now.word] ?? "text-fg-2")}>
          {isDemo ? t("demo_model") : t(`standing_${now.word}`)}
        </b>
        <span className="truncate">{isDemo ? t("demo_answers") : explanation(now, changed, t)}</span>
      </p>
      {now.word === "interrupted" && (
        <Button small onClick={onContinue}>
          {t("continue_this")}
        </Button>
      )}
      {now.word === "parked" && (
        <Button small onClick={onUnpark}>
          {t("unpark")}
        </Button>
      )}
      <Announcement sentence={isDemo ? "" : `${t(`standing_${now.word}`)} ${explanation(now, changed, t)}`} />
      <Figures now={now} facts={facts} sessionId={sessionId} />
    </div>
  );
});

function explanation({ word, what }: Standing, changed: number, t: TFunction): string {
  switch (word) {
    case "running":
      return what === null ? "" : t("doing", { what });
    case "thinking":
      return "";
    case "completed":
      return changed === 0 ? "" : t("changed_files", { count: changed });
    case "parked":
      return what === null ? t("standing_parked_means") : t("parked_until", { until: new Date(what).toLocaleString() });
    case "waiting":
      return what ?? t("standing_waiting_means");
    case "failed":
      return what ?? t("standing_failed_means");
    default:
      return t(`standing_${word}_means`);
  }
}

function Figures({ now, facts, sessionId }: Pick<Props, "now" | "facts" | "sessionId">) {
  const { t } = useTranslation();
  const { language } = usePreferences();
  const isRunning = now.isBusy && now.word !== "not_known";
  const present = useNow(isRunning && now.since !== null);
  const end = facts?.complete?.metadata;
  const running = now.isBusy && now.since !== null ? clock(present - Date.parse(now.since)) : null;
  const elapsed = end?.duration_ms == null ? running : duration(end.duration_ms, language);
  return (
    <dl className="ml-auto flex shrink-0 items-center gap-4 text-sm text-fg-3 max-phone:gap-3">
      {elapsed !== null && (
        <Figure
          name={t("figure_duration")}
          value={elapsed}
          title={end?.duration_ms == null ? undefined : `${end.duration_ms.toLocaleString("en-US")} ms`}
        />
      )}
      {end?.cost_usd != null && (
        <Figure name={t("figure_cost")} value={facts?.offline === true ? t("free") : dollars(end.cost_usd)} />
      )}
      {sessionId !== null && (
        <div className="flex gap-1.5 max-phone:hidden">
          <dt>{t("session_id")}</dt>
          <dd>
            <CopyableId id={sessionId} />
          </dd>
        </div>
      )}
    </dl>
  );
}

function Figure({ name, value, title }: { name: string; value: string; title?: string | undefined }) {
  return (
    <div className="flex gap-1.5" title={title}>
      <dt>{name}</dt>
      <dd className="text-fg-2">{value}</dd>
    </div>
  );
}

function CopyableId({ id }: { id: string }) {
  const { t } = useTranslation();
  const [copied, copyIt] = useCopied(id);
  const Icon = copied ? Check : Copy;
  return (
    <button
      type="button"
      aria-label={`${copied ? t("copied") : t("copy_session_id")} ${id.slice(0, 8)}`}
      title={copied ? t("copied") : t("copy_session_id")}
      className="flex items-center gap-1 font-mono text-fg-2 hover:text-fg"
      onClick={copyIt}
    >
      {id.slice(0, 8)}
      <Icon size={12} strokeWidth={1.5} aria-hidden />
    </button>
  );
}

const SPOKEN_EVERY_MS = 5000;

/** For those who listen: at most one sentence in five seconds, and always the newest. */
function Announcement({ sentence }: { sentence: string }) {
  const [spoken, setSpoken] = useState("");
  const lastAt = useRef(0);
  useEffect(() => {
    const wait = Math.max(0, lastAt.current + SPOKEN_EVERY_MS - Date.now());
    const timer = setTimeout(() => {
      lastAt.current = Date.now();
      setSpoken(sentence);
    }, wait);
    return () => clearTimeout(timer);
  }, [sentence]);
  return (
    <span role="status" aria-live="polite" className="sr-only">
      {spoken}
    </span>
  );
}
