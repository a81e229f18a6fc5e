// One line that always says the truth, and beside it the figures of the task.

import type { TFunction } from "i18next";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";

import type { Standing, Word } from "@/features/session/standing";
import { useNow } from "@/shared/events/live";
import type { SessionFold } from "@/shared/events/fold";
import { clock, dollars, duration } from "@/shared/format";
import { usePreferences } from "@/shared/preferences";
import { copy } from "@/shared/ui/copy-button";
import { cx } from "@/shared/ui/cx";
import { StateMark } from "@/shared/ui/state-mark";

const COLOURS: Partial<Record<Word, string>> = {
  sending: "text-blue-fg",
  running: "text-blue-fg",
  stopping: "text-blue-fg",
  queued: "text-fg-2",
  completed: "text-blue-fg",
  failed: "text-red-fg",
  stalled: "text-orange-fg",
};

type Props = { now: Standing; fold: SessionFold | null; sessionId: string | null; offline: boolean };

export function StatusLine({ now, fold, sessionId, offline }: Props) {
  const { t } = useTranslation();
  const isDemo = now.word === "idle" && offline;
  return (
    <div className="flex min-h-8 items-center gap-4 text-ui text-fg-2">
      <p className="flex min-w-0 items-center gap-2">
        <StateMark mark={now.mark} />
        <b className={cx("whitespace-nowrap", COLOURS[now.word] ?? "text-fg-2")}>
          {isDemo ? t("demo_model") : t(`standing_${now.word}`)}
        </b>
        <span className="truncate">{isDemo ? t("demo_answers") : explanation(now, t)}</span>
      </p>
      <Announcement sentence={isDemo ? "" : `${t(`standing_${now.word}`)} ${explanation(now, t)}`} />
      <Figures now={now} fold={fold} sessionId={sessionId} />
    </div>
  );
}

function explanation(now: Standing, t: TFunction): string {
  if (now.doing !== null) return t("doing", { what: now.doing });
  if (now.word === "idle" || now.word === "running" || now.word === "completed") return "";
  return t(`standing_${now.word}_means`);
}

function Figures({ now, fold, sessionId }: { now: Standing; fold: SessionFold | null; sessionId: string | null }) {
  const { t } = useTranslation();
  const { language } = usePreferences();
  const present = useNow(now.isBusy && now.since !== null);
  const facts = now.taskId === null ? undefined : fold?.tasks.get(now.taskId);
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
      {end?.cost_usd != null && <Figure name={t("figure_cost")} value={dollars(end.cost_usd)} />}
      {sessionId !== null && (
        <div className="flex gap-1.5 max-phone:hidden">
          <dt>{t("session_id")}</dt>
          <dd>
            <button
              type="button"
              title={t("copy_session_id")}
              className="font-mono text-fg-2 hover:text-fg"
              onClick={() => void copy(sessionId)}
            >
              {sessionId.slice(0, 8)}
            </button>
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
