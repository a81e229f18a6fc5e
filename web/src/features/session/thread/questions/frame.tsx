// The panel that asks: the only thing on the page that blocks, so the only one with a ground and a frame of purple.

import { useId, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";

import { useAskings } from "@/features/session/thread/questions/askings";
import { Earlier } from "@/features/session/thread/questions/earlier";
import { subjectOfAsking } from "@/features/session/thread/questions/subject";
import { Clock } from "@/features/session/thread/questions/time-left";
import { cx } from "@/shared/ui/cx";
import { StateMark } from "@/shared/ui/state-mark";

export function PanelFrame(props: { icon: ReactNode; title: string; aside?: ReactNode; children: ReactNode }) {
  const { active } = useAskings();
  return (
    <section
      aria-label={props.title}
      className="-ml-2 rounded-4 border border-purple-line bg-raised shadow-1 max-phone:-ml-1.75"
      // Esc is a way out of a field here, and no first half of stopping the task.
      onKeyDown={(event) => event.key === "Escape" && event.preventDefault()}
    >
      <header className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 rounded-t-[11px] border-b border-purple-line bg-purple-wash px-4 py-1.5">
        <h3 className="flex items-center gap-2 text-md whitespace-nowrap text-purple-fg">
          {props.icon}
          {props.title}
        </h3>
        {props.aside}
        <span className="ml-auto flex flex-wrap items-center gap-x-3">
          {active !== null && <Clock row={active} />}
          <NotifyMe />
        </span>
      </header>
      <WhatWaits />
      {active !== null && <Earlier before={active} />}
      {props.children}
    </section>
  );
}

/** All that waits here, where it is more than one: each is a click away. */
function WhatWaits() {
  const { t } = useTranslation();
  const { pending, active, open } = useAskings();
  const id = useId();
  if (pending.length < 2) return null;
  return (
    <nav aria-labelledby={id} className="border-b border-line-soft px-4 py-2">
      <p id={id} className="text-sm text-fg-2">
        {t("what_waits", { count: pending.length })}
      </p>
      <ol className="mt-1 max-h-36 overflow-y-auto">
        {pending.map((row) => {
          const isOpen = row.key === active?.key;
          return (
            <li key={row.key}>
              <button
                type="button"
                aria-current={isOpen ? "step" : undefined}
                onClick={() => open(row.key)}
                className={cx(
                  "flex min-h-7 w-full min-w-0 items-center gap-2 rounded-2 px-2 text-left hover:bg-hover max-phone:min-h-10",
                  isOpen ? "bg-selected text-fg" : "text-fg-2",
                )}
              >
                <StateMark mark="waiting" />
                <span className="min-w-0 truncate">{subjectOfAsking(row, t)}</span>
              </button>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}

/** Asked for where it is worth something, by a person's own click, and once. */
function NotifyMe() {
  const { t } = useTranslation();
  const [asked, setAsked] = useState(!("Notification" in window) || Notification.permission !== "default");
  if (asked) return null;
  return (
    <button
      type="button"
      className="text-sm text-fg-2 underline underline-offset-3 hover:text-fg"
      onClick={() => void Notification.requestPermission().then(() => setAsked(true))}
    >
      {t("notify_me")}
    </button>
  );
}

export function Problem({ children }: { children: string | null }) {
  return children === null ? null : (
    <p role="alert" className="px-4 pb-2 text-red-fg">
      {children}
    </p>
  );
}
