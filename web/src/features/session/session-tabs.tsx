import { Link, useNavigate } from "@tanstack/react-router";
import { Plus, X } from "lucide-react";
import { useTranslation } from "react-i18next";

import { useTabs } from "@/features/session/tabs";
import { useWaitingSessions } from "@/shared/events/waiting";
import { cx } from "@/shared/ui/cx";
import { StateMark, type Mark } from "@/shared/ui/state-mark";

const TAB = "flex h-7 min-w-18 max-w-54 items-center gap-2 rounded-2 px-2.5 whitespace-nowrap text-fg-2 hover:bg-hover";

/** `mark` is the shown session's; of the others it is known whether they wait. */
export function SessionTabs({ current, mark }: { current: string | null; mark: Mark }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { open, close } = useTabs();
  const waiting = useWaitingSessions();
  const hasNew = current === null || open.length === 0;
  return (
    <nav
      aria-label={t("open_sessions")}
      className="ml-2 flex min-w-0 items-center gap-0.5 overflow-x-auto border-l border-line pl-3 [scrollbar-width:none] max-phone:hidden"
    >
      {open.map((tab) => (
        <span
          key={tab.sessionId}
          className={cx(TAB, "pr-1", tab.sessionId === current && "bg-selected text-fg hover:bg-selected")}
        >
          {waiting.includes(tab.sessionId) ? (
            <StateMark mark="waiting" />
          ) : (
            tab.sessionId === current && <StateMark mark={mark} />
          )}
          <Link
            to="/session/$sessionId"
            params={{ sessionId: tab.sessionId }}
            aria-current={tab.sessionId === current ? "page" : undefined}
            title={tab.title}
            className="truncate"
          >
            {tab.title}
          </Link>
          <button
            type="button"
            aria-label={t("close_tab", { title: tab.title })}
            className="rounded-1 p-0.5 text-fg-3 hover:bg-hover hover:text-fg"
            onClick={() => {
              close(tab.sessionId);
              if (tab.sessionId === current) void navigate({ to: "/" });
            }}
          >
            <X size={12} strokeWidth={1.5} aria-hidden />
          </button>
        </span>
      ))}
      {hasNew ? (
        <Link to="/" aria-current={current === null ? "page" : undefined} className={cx(TAB, current === null && "bg-selected text-fg")}>
          <span className="truncate">{t("new_task")}</span>
        </Link>
      ) : (
        <Link to="/" aria-label={t("new_task")} title={t("new_task")} className="rounded-2 p-1.5 text-fg-2 hover:bg-hover">
          <Plus size={16} strokeWidth={1.5} aria-hidden />
        </Link>
      )}
    </nav>
  );
}
