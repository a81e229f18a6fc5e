// What the person said, below the heading of its round.

import { useTranslation } from "react-i18next";

import { Voice } from "@/features/session/thread/parts/edge";
import { MoreLine, useWholeText } from "@/features/session/thread/parts/whole-text";
import type { PromptRow } from "@/shared/events/rows";
import { moment, timeOfDay } from "@/shared/format";
import { usePreferences } from "@/shared/preferences";

export function Prompt({ row }: { row: PromptRow }) {
  const { t } = useTranslation();
  const language = usePreferences((chosen) => chosen.language);
  const { text, more } = useWholeText(row.key, row.text);
  return (
    <>
      <div className="mb-(--gap-msg) flex items-center gap-3 text-sm text-fg-3">
        <h2 className="whitespace-nowrap text-fg-2">{t("round", { round: row.round })}</h2>
        <span aria-hidden className="h-px flex-1 bg-line-soft" />
        <time dateTime={row.time} title={moment(row.time, language)}>
          {timeOfDay(row.time)}
        </time>
      </div>
      <Voice edge="bg-(--kind-user)" full>
        <div className="-ml-2 rounded-3 bg-said px-3.5 py-2.5 text-read leading-(--lh-read) max-phone:-ml-1.75">
          <p className="wrap-anywhere whitespace-pre-wrap">{text}</p>
          <MoreLine>{more}</MoreLine>
        </div>
      </Voice>
    </>
  );
}
