// How far the questions of a session have come, and what was answered in the rounds before, folded.

import { ChevronRight } from "lucide-react";
import { useTranslation } from "react-i18next";

import { useAskings } from "@/features/session/thread/questions/askings";
import { earlierThan, progressOf, roundOf } from "@/features/session/thread/questions/rounds";
import { outcome } from "@/features/session/thread/questions/settled";
import type { Asked, AskingRow } from "@/shared/events/rows";
import { cx } from "@/shared/ui/cx";

const MOST_PIPS = 12;

export function RoundProgress() {
  const { t } = useTranslation();
  const { all, active } = useAskings();
  const progress = active === null ? null : progressOf(active, all);
  if (progress === null) return null;
  const { round, total, answered } = progress;
  return (
    <span className="flex items-center gap-2 text-sm text-fg-2">
      {total > 1 && total <= MOST_PIPS && (
        <span role="img" aria-label={t("rounds_answered", { count: answered })} className="flex gap-1">
          {Array.from({ length: total }, (_, place) => (
            <i
              key={place}
              className={cx("h-1 w-4 rounded-full", place + 1 === round || place < answered ? "bg-purple-edge" : "bg-purple-line", place + 1 === round && "opacity-60")}
            />
          ))}
        </span>
      )}
      {total > round ? t("question_round_of", { round, total }) : t("question_round", { round })}
    </span>
  );
}

export function Earlier({ before }: { before: AskingRow }) {
  const { all } = useAskings();
  const earlier = earlierThan(before, all);
  if (earlier.length === 0) return null;
  return (
    // Those of long ago are a scroll away: the question itself is what the panel is for.
    <div className="max-h-44 divide-y divide-line-soft overflow-y-auto border-b border-line-soft">
      {earlier.map((row) => (
        <Round key={row.key} row={row} />
      ))}
    </div>
  );
}

function Round({ row }: { row: AskingRow }) {
  const { t } = useTranslation();
  return (
    <details className="group">
      <summary className="flex min-h-8 cursor-pointer list-none items-center gap-2 px-4 text-fg-2 hover:bg-hover max-phone:min-h-10 [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden size={14} strokeWidth={1.5} className="shrink-0 group-open:rotate-90" />
        <span className="shrink-0 text-sm text-fg-3">{t("question_round", { round: roundOf(row) })}</span>
        <span className="min-w-0 truncate">{row.asked[0]?.question.question_text}</span>
        <b className="min-w-0 truncate text-fg">{row.asked.map((asked) => outcome(asked, t)).join(t("answer_joint"))}</b>
      </summary>
      <div className="grid gap-2 px-4 pb-3 pl-9.5">
        {row.asked.map((asked) => (
          <Reviewed key={asked.question.question_id} asked={asked} isAlone={row.asked.length === 1} />
        ))}
      </div>
    </details>
  );
}

/** With what was to choose from, not only what was chosen. */
function Reviewed({ asked, isAlone }: { asked: Asked; isAlone: boolean }) {
  const { t } = useTranslation();
  const { question, answer } = asked;
  const chosen = Array.isArray(answer) ? answer : [answer];
  const options = question.options ?? [];
  const isAmong = chosen.every((each) => options.some(({ id }) => id === each));
  return (
    <div>
      {!isAlone && <p className="text-fg-2">{question.question_text}</p>}
      {options.length > 0 && (
        <ul className="mt-0.5 flex flex-wrap gap-x-4">
          {options.map(({ id, label }) => (
            <li key={id} className={chosen.includes(id) ? "text-fg" : "text-fg-3"}>
              <span aria-hidden>{chosen.includes(id) ? "● " : "○ "}</span>
              {label}
              {chosen.includes(id) && <span className="sr-only">{t("was_chosen")}</span>}
            </li>
          ))}
        </ul>
      )}
      {(options.length === 0 || !isAmong) && <p className="break-words whitespace-pre-wrap text-fg">{outcome(asked, t)}</p>}
    </div>
  );
}
