// How a call stands, in a word or a mark.

import { Check, X } from "lucide-react";
import { useTranslation } from "react-i18next";

import { useThread } from "@/features/session/thread/thread-context";
import { useNow } from "@/shared/events/live";
import type { ToolRow } from "@/shared/events/rows";
import { shortDuration } from "@/shared/format";
import { usePreferences } from "@/shared/preferences";

export function ToolOutcome({ row }: { row: ToolRow }) {
  const { t } = useTranslation();
  switch (row.state) {
    case "typing":
      return <span className="text-blue-fg">{t("tool_typing")}</span>;
    case "running":
      return <RunningFor since={row.time} />;
    case "done":
      return <Check role="img" aria-label={t("tool_done")} size={14} strokeWidth={2} className="text-blue-fg" />;
    case "failed":
      return <X role="img" aria-label={t("tool_failed")} size={14} strokeWidth={2} className="text-red-fg" />;
    case "unknown":
      return <span>{t("tool_unknown")}</span>;
  }
}

function RunningFor({ since }: { since: string }) {
  const { t } = useTranslation();
  const { running } = useThread();
  const language = usePreferences((chosen) => chosen.language);
  const now = useNow(running);
  if (!running) return <span className="text-blue-fg">{t("tool_running")}</span>;
  // Whole seconds: tenths that move would be looked at.
  const seconds = Math.max(0, Math.floor((now - Date.parse(since)) / 1000));
  const time = seconds < 100 ? t("seconds", { count: seconds }) : shortDuration(seconds * 1000, language);
  return <span className="text-blue-fg">{t("tool_running_for", { time })}</span>;
}
