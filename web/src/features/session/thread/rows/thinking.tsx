// A thought: one line that whispers, and opens when it is looked for.

import { Lightbulb } from "lucide-react";
import { useId } from "react";
import { useTranslation } from "react-i18next";

import { useFold } from "@/features/session/thread/folds";
import { Voice } from "@/features/session/thread/parts/edge";
import { FoldButton } from "@/features/session/thread/parts/fold-button";
import { uncut } from "@/features/session/thread/parts/clip";
import { MoreLine, useWholeText } from "@/features/session/thread/parts/whole-text";
import type { SpeechRow } from "@/shared/events/rows";
import { shortDuration } from "@/shared/format";
import { Markdown } from "@/shared/markdown/markdown";
import { usePreferences } from "@/shared/preferences";

export function Thinking({ row, since }: { row: SpeechRow; since: string | null }) {
  const [open, toggle] = useFold(row.key);
  const body = useId();
  return (
    <Voice edge="bg-(--kind-thinking)">
      <FoldButton
        open={open}
        onToggle={toggle}
        body={body}
        className="min-h-6.5 max-w-full text-fg-3 hover:text-fg-2 max-phone:min-h-(--row-h)"
      >
        <Lightbulb aria-hidden size={16} strokeWidth={1.5} className="shrink-0 text-yellow-fg" />
        <ThoughtFor row={row} since={since} />
        {!open && <span className="min-w-0 truncate">{firstWords(row.text)}</span>}
      </FoldButton>
      {open && (
        <div id={body} className="mt-1 max-w-(--prose-w) rounded-3 bg-yellow-wash px-3.5 py-2.5 text-fg-2">
          <Thought row={row} />
        </div>
      )}
    </Voice>
  );
}

function ThoughtFor({ row, since }: { row: SpeechRow; since: string | null }) {
  const { t } = useTranslation();
  const language = usePreferences((chosen) => chosen.language);
  const ms = since === null ? 0 : Date.parse(row.time) - Date.parse(since);
  const time = ms > 0 ? shortDuration(ms, language) : null;
  const words = row.streaming ? t("thinking") : time === null ? t("thought") : t("thought_for", { time });
  return <span className="whitespace-nowrap text-yellow-fg">{words}</span>;
}

function Thought({ row }: { row: SpeechRow }) {
  const { text, more } = useWholeText(row.key, row.text, { cut: row.truncated?.["/content"], clip: uncut });
  return (
    <>
      <Markdown text={text} streaming={row.streaming} className="text-md leading-[1.7]" />
      <MoreLine>{more}</MoreLine>
    </>
  );
}

const LONGEST_PREVIEW = 200;

function firstWords(text: string): string {
  return text.trimStart().slice(0, LONGEST_PREVIEW).replace(/\s+/g, " ");
}
