// The heading of a round; one that is over and not the last opens and folds with it.

import { useTranslation } from "react-i18next";

import { useFold } from "@/features/session/thread/folds";
import { FoldButton } from "@/features/session/thread/parts/fold-button";
import type { Folding } from "@/features/session/thread/rounds";
import { endOf } from "@/features/session/thread/rows/complete";
import { useThread } from "@/features/session/thread/thread-context";
import type { PromptRow } from "@/shared/events/rows";
import { dollars, duration, moment, timeOfDay } from "@/shared/format";
import { usePreferences } from "@/shared/preferences";

type Props = { row: PromptRow; folding: Folding; body: string };

export function RoundHeading({ row, folding, body }: Props) {
  const { t } = useTranslation();
  const language = usePreferences((chosen) => chosen.language);
  const [, toggle] = useFold(row.key, folding === "never");
  const name = t("round", { round: row.round });
  return (
    <div className="flex items-center gap-3 text-sm text-fg-3">
      {folding === "never" ? (
        <h2 className="whitespace-nowrap text-fg-2">{name}</h2>
      ) : (
        <h2 className="min-w-0 text-fg-2">
          <FoldButton
            open={folding === "open"}
            onToggle={toggle}
            body={body}
            className="min-h-(--row-h) max-w-full rounded-2 hover:text-fg"
          >
            <span className="whitespace-nowrap">{name}</span>
            {folding === "folded" && <Summary row={row} />}
          </FoldButton>
        </h2>
      )}
      <span aria-hidden className="h-px min-w-4 flex-1 bg-line-soft" />
      <time dateTime={row.time} title={moment(row.time, language)}>
        {timeOfDay(row.time)}
      </time>
    </div>
  );
}

function Summary({ row }: { row: PromptRow }) {
  const { t } = useTranslation();
  const { fold } = useThread();
  const language = usePreferences((chosen) => chosen.language);
  const task = fold.tasks.get(row.taskId);
  const end = task?.complete?.metadata;
  const calls = fold.rows.filter((other) => other.kind === "tool" && other.taskId === row.taskId).length;
  const facts = [
    row.text.trim().split("\n", 1)[0],
    end !== undefined && end.status !== "completed" && t(endOf(end.status).word),
    calls > 0 && t("tool_calls", { count: calls }),
    end?.duration_ms != null && duration(end.duration_ms, language),
    end?.cost_usd != null && (task?.offline === true ? t("free") : dollars(end.cost_usd)),
  ];
  return <span className="min-w-0 truncate font-normal text-fg-3">{facts.filter(Boolean).join(" · ")}</span>;
}
