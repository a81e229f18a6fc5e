// The frame round every page: menu, strips, and what is always true of the server.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useRouterState } from "@tanstack/react-router";
import { FlaskConical, LayoutList, LogOut, MessageSquare, PlugZap, TriangleAlert } from "lucide-react";
import { Dialog } from "radix-ui";
import { useEffect, useMemo, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";

import { useNotices } from "@/app/use-notices";
import { post } from "@/shared/api/client";
import { statusQuery } from "@/shared/api/status";
import { useConnection, useSocket } from "@/shared/events/live";
import { useWaitingSessions } from "@/shared/events/waiting";
import { timeOfDay } from "@/shared/format";
import { usePreferences } from "@/shared/preferences";
import { Appearance } from "@/shared/ui/appearance";
import { Button } from "@/shared/ui/button";
import { cx } from "@/shared/ui/cx";
import { Logo } from "@/shared/ui/logo";
import { Strip } from "@/shared/ui/strip";
import { MenuToggleContext } from "@/shared/ui/menu-toggle";

export function Shell({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const { menuFolded, choose } = usePreferences();
  const [drawerOpen, setDrawerOpen] = useState(false);
  const path = useRouterState({ select: (state) => state.location.pathname });
  useNotices();
  useEffect(() => setDrawerOpen(false), [path]);
  useEffect(() => {
    const toggle = (event: KeyboardEvent) => {
      if (!event.ctrlKey || event.key.toLowerCase() !== "b") return;
      event.preventDefault();
      choose({ menuFolded: !usePreferences.getState().menuFolded });
    };
    addEventListener("keydown", toggle);
    return () => removeEventListener("keydown", toggle);
  }, [choose]);

  const toggle = useMemo(
    () => ({
      folded: menuFolded,
      fold: () => choose({ menuFolded: !menuFolded }),
      openDrawer: () => setDrawerOpen(true),
    }),
    [menuFolded, choose],
  );

  return (
    <MenuToggleContext value={toggle}>
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:absolute focus:top-2 focus:left-2 focus:z-(--z-toast) focus:rounded-2 focus:bg-overlay focus:p-2"
      >
        {t("skip_to_content")}
      </a>
      <div
        className={cx(
          "grid h-full grid-cols-1",
          menuFolded ? "drawer:grid-cols-[var(--menu-w-folded)_minmax(0,1fr)]" : "drawer:grid-cols-[var(--menu-w)_minmax(0,1fr)]",
        )}
      >
        <aside className="hidden min-h-0 drawer:block" aria-label={t("menu")}>
          <Menu folded={menuFolded} />
        </aside>
        <div className="grid min-h-0 min-w-0 grid-rows-[auto_minmax(0,1fr)] bg-surface drawer:border-l drawer:border-line">
          <Strips />
          <main id="content" tabIndex={-1} className="min-h-0 min-w-0 outline-none">
            {children}
          </main>
        </div>
      </div>
      <Dialog.Root open={drawerOpen} onOpenChange={setDrawerOpen}>
        <Dialog.Portal>
          <Dialog.Overlay className="fixed inset-0 z-(--z-dialog) bg-scrim drawer:hidden" />
          <Dialog.Content
            aria-describedby={undefined}
            className="fixed inset-y-0 left-0 z-(--z-dialog) w-(--menu-w) bg-canvas shadow-3 drawer:hidden"
          >
            <Dialog.Title className="sr-only">{t("menu")}</Dialog.Title>
            <Menu folded={false} appearance={<Appearance className="border-t border-line-soft pt-2 phone:hidden" />} />
          </Dialog.Content>
        </Dialog.Portal>
      </Dialog.Root>
    </MenuToggleContext>
  );
}

/** Only what works has an entry. */
const ENTRIES = [
  { to: "/", icon: MessageSquare, name: "menu_session" },
  { to: "/examples", icon: LayoutList, name: "menu_examples" },
] as const;

/** `appearance`: where the bar on top has no place for it. */
function Menu({ folded, appearance }: { folded: boolean; appearance?: ReactNode }) {
  const { t } = useTranslation();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const isCurrent = (to: string) => (to === "/" ? path === "/" || path.startsWith("/session/") : path === to);
  return (
    <div className="flex h-full flex-col bg-canvas px-2 pb-2">
      <div className={cx("flex h-(--bar-h) items-center gap-2 px-2 text-md font-semibold", folded && "justify-center")}>
        <Logo className="size-4.5 shrink-0" />
        <span className={folded ? "sr-only" : ""}>Glasshouse</span>
      </div>
      <nav className="flex flex-col gap-px overflow-auto pt-1">
        {ENTRIES.map(({ to, icon: Icon, name }) => (
          <div key={to} className="relative grid">
          <Link
            to={to}
            aria-current={isCurrent(to) ? "page" : undefined}
            title={folded ? t(name) : undefined}
            className={cx(
              "flex h-(--row-h) items-center gap-2.5 rounded-2 px-2 whitespace-nowrap text-fg-2 hover:bg-selected hover:text-fg",
              "aria-[current]:bg-selected aria-[current]:font-semibold aria-[current]:text-fg",
              folded && "justify-center",
            )}
          >
            <Icon size={16} strokeWidth={1.5} aria-hidden className="shrink-0" />
            <span className={folded ? "sr-only" : ""}>{t(name)}</span>
          </Link>
          {to === "/" && <WaitingBadge folded={folded} path={path} />}
          </div>
        ))}
      </nav>
      <div className="mt-auto">
        {appearance}
        <Foot folded={folded} />
      </div>
    </div>
  );
}

/** Leads to the session that has waited longest; from there, to the next. */
function WaitingBadge({ folded, path }: { folded: boolean; path: string }) {
  const { t } = useTranslation();
  const waiting = useWaitingSessions();
  if (waiting.length === 0) return null;
  const here = waiting.findIndex((sessionId) => path === `/session/${sessionId}`);
  const words = t("waiting_sessions", { count: waiting.length });
  return (
    <Link
      to="/session/$sessionId"
      params={{ sessionId: waiting[(here + 1) % waiting.length]! }}
      title={words}
      className={cx("absolute grid size-6 place-items-center rounded-2", folded ? "-top-1.5 -right-1.5" : "top-1/2 right-1 -translate-y-1/2")}
    >
      <span aria-hidden className="min-w-4.5 rounded-full bg-purple-fg px-1 text-center text-[11px] leading-4.5 font-semibold text-surface">
        {waiting.length}
      </span>
      <span className="sr-only">{words}</span>
    </Link>
  );
}

function Foot({ folded }: { folded: boolean }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const connection = useConnection();
  const { data: status } = useQuery(statusQuery);
  const isOpen = connection.state === "open";
  const words = isOpen ? t("connected") : t(connection.state === "connecting" ? "connecting" : "not_connected");
  const signOut = async () => {
    await post("/api/logout");
    queries.clear();
    await navigate({ to: "/sign-in", search: {} });
  };
  const suffix = status === undefined ? "" : ` · ${status.offline ? t("demo_model") : `v${status.version}`}`;
  return (
    <div className={cx("flex h-9 items-center gap-2 px-2 text-sm text-fg-3", folded && "justify-center")}>
      <span aria-hidden className={cx("size-1.5 shrink-0 rounded-full", isOpen ? "bg-green-edge" : "bg-grey-edge")} />
      <span className={folded ? "sr-only" : "min-w-0 flex-1 truncate"}>
        {words}
        {suffix}
      </span>
      {!folded && (
        <Button look="ghost" small icon aria-label={t("sign_out")} title={t("sign_out")} onClick={() => void signOut()}>
          <LogOut size={14} strokeWidth={1.5} aria-hidden />
        </Button>
      )}
    </div>
  );
}

function Strips() {
  const { t } = useTranslation();
  const socket = useSocket();
  const connection = useConnection();
  const { data: status } = useQuery(statusQuery);
  const retry = (word: "retry" | "retry_now") => (
    <Button small onClick={() => socket.retry()}>
      {t(word)}
    </Button>
  );
  return (
    <div>
      {status?.offline === true && <Strip hue="sky" icon={FlaskConical} title={t("demo_model")} means={t("demo_means")} />}
      {connection.state === "reconnecting" && (
        <Strip hue="sky" icon={PlugZap} title={t("reconnecting")} means={t("reconnecting_means")}>
          {retry("retry_now")}
        </Strip>
      )}
      {connection.state === "offline" && (
        <Strip
          hue="orange"
          icon={TriangleAlert}
          title={t("offline")}
          means={t("offline_means", { time: timeOfDay(new Date(connection.since).toISOString()) })}
        >
          {retry("retry")}
        </Strip>
      )}
    </div>
  );
}
