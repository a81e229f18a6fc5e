// The panel that asks: the only thing on the page that blocks, so the only one with a ground and a frame of purple.

import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";

export function PanelFrame(props: { icon: ReactNode; title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section
      aria-label={props.title}
      className="-ml-2 rounded-4 border border-purple-line bg-raised shadow-1 max-phone:-ml-1.75"
    >
      <header className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 rounded-t-[11px] border-b border-purple-line bg-purple-wash px-4 py-1.5">
        <h3 className="flex items-center gap-2 text-md whitespace-nowrap text-purple-fg">
          {props.icon}
          {props.title}
        </h3>
        {props.aside}
        <NotifyMe />
      </header>
      {props.children}
    </section>
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
      className="ml-auto text-sm text-fg-2 underline underline-offset-3 hover:text-fg"
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

/** Which round of questions this is: asked of the model, how many there will be is not known. */
export function RoundNumber({ round }: { round: number | null | undefined }) {
  const { t } = useTranslation();
  return round == null ? null : <span className="text-sm text-fg-2">{t("question_round", { round })}</span>;
}
