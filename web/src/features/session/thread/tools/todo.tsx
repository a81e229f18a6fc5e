// The list of what is to be done, each with a shape and a word.

import { ListChecks } from "lucide-react";
import { useTranslation } from "react-i18next";

import { field, inputOf, list } from "@/features/session/thread/tools/input";
import { Fact, PlainResult } from "@/features/session/thread/tools/parts";
import type { ToolView } from "@/features/session/thread/tools/view";
import type { ToolRow } from "@/shared/events/rows";
import { cx } from "@/shared/ui/cx";

export const todo: ToolView = {
  icon: ListChecks,
  name: (_, say) => say("todo"),
  argument: (input, say) => ({ text: say("todo_items", { count: list(input, "todos").length }), isProse: true }),
  Facts: TodoFacts,
  Body: TodoBody,
  opens: "always",
};

const MARKS = {
  pending: { glyph: "○", word: "todo_pending", glyphLook: "text-fg-3", look: "text-fg-2" },
  in_progress: { glyph: "◐", word: "todo_in_progress", glyphLook: "text-blue-fg", look: "font-semibold text-fg" },
  completed: { glyph: "✓", word: "todo_completed", glyphLook: "text-green-fg", look: "text-fg-3" },
  failed: { glyph: "✗", word: "todo_failed", glyphLook: "text-red-fg", look: "text-fg-2" },
  skipped: { glyph: "⊘", word: "todo_skipped", glyphLook: "text-fg-3", look: "text-fg-3" },
} as const;

function markOf(status: string) {
  return Object.hasOwn(MARKS, status) ? MARKS[status as keyof typeof MARKS] : MARKS.pending;
}

function TodoFacts({ row }: { row: ToolRow }) {
  const { t } = useTranslation();
  const todos = list(inputOf(row), "todos");
  const done = todos.filter((item) => field(item, "status") === "completed").length;
  return done > 0 ? <Fact>{t("todo_done", { done, count: todos.length })}</Fact> : null;
}

function TodoBody({ row }: { row: ToolRow }) {
  const { t } = useTranslation();
  return (
    <>
      <ul className="grid gap-px px-3 pt-2 pb-2.5">
        {list(inputOf(row), "todos").map((item, place) => {
          const { glyph, word, glyphLook, look } = markOf(field(item, "status"));
          return (
            <li key={place} className={cx("flex min-h-6.5 items-center gap-2.5", look)}>
              <span aria-hidden className={cx("w-3 shrink-0 text-center font-normal", glyphLook)}>
                {glyph}
              </span>
              <span className="sr-only">{t(word)}</span>
              <span className="min-w-0 wrap-anywhere">{field(item, "content")}</span>
            </li>
          );
        })}
      </ul>
      {row.state === "failed" && <PlainResult row={row} />}
    </>
  );
}
