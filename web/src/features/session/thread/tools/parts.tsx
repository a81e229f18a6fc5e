// What several tools show alike.

import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

import { useWholeText } from "@/features/session/thread/parts/whole-text";
import { errorText } from "@/features/session/thread/tools/result";
import type { ToolRow } from "@/shared/events/rows";
import { shortDuration } from "@/shared/format";
import { usePreferences } from "@/shared/preferences";
import { cx } from "@/shared/ui/cx";

export function Took({ row }: { row: ToolRow }) {
  const language = usePreferences((chosen) => chosen.language);
  if (row.endedAt === null) return null;
  return (
    <span className="max-phone:hidden">
      {shortDuration(Math.max(0, Date.parse(row.endedAt) - Date.parse(row.time)), language)}
    </span>
  );
}

export function Fact({ children }: { children: ReactNode }) {
  return <span className="max-phone:hidden">{children}</span>;
}

export function Foot({ children }: { children: ReactNode }) {
  return (
    <div className="flex min-h-8 flex-wrap items-center gap-3 border-t border-line-soft px-2.5 text-sm text-fg-3">
      {children}
    </div>
  );
}

export function Sunken({ children, className }: { children: ReactNode; className?: string }) {
  return (
    <div
      className={cx(
        "bg-sunken px-3 py-2.5 font-mono text-code leading-(--lh-code) wrap-anywhere whitespace-pre-wrap text-fg-2",
        className,
      )}
    >
      {children}
    </div>
  );
}

/** One line in place of what is not there. */
export function Nothing({ words }: { words: "no_output" | "nothing_found" }) {
  const { t } = useTranslation();
  return <p className="px-3 py-2 text-fg-3">{t(words)}</p>;
}

/** A result as the text that it is; a failed one in red. */
export function PlainResult({ row }: { row: ToolRow }) {
  const { text, more } = useWholeText(`${row.key}:result`, errorText(row.result ?? ""), {
    cut: row.resultTruncated?.["/content"],
  });
  if (row.result === null) return null;
  if (text.trim() === "") return <Nothing words="no_output" />;
  return (
    <>
      <Sunken className={cx(row.state === "failed" && "text-red-fg")}>{text}</Sunken>
      {more !== null && <Foot>{more}</Foot>}
    </>
  );
}
