// On a phone the open sessions stand behind the name of the one that is shown.

import { Link } from "@tanstack/react-router";
import { ChevronDown, Plus } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { useTranslation } from "react-i18next";

import { useTabs } from "@/features/session/tabs";
import { Button } from "@/shared/ui/button";
import { StateMark, type Mark } from "@/shared/ui/state-mark";

const ENTRY = "flex min-h-10 items-center gap-2 rounded-2 px-2.5 outline-none data-highlighted:bg-hover";

type Props = { current: string | null; title: string | undefined; mark: Mark; onNew: () => void };

export function SessionMenu({ current, title, mark, onNew }: Props) {
  const { t } = useTranslation();
  const open = useTabs((tabs) => tabs.open);
  const others = open.filter((tab) => tab.sessionId !== current);
  const name = current === null ? t("new_task") : (title ?? t("session"));
  const shown = (
    <>
      {current !== null && <StateMark mark={mark} />}
      <span className="truncate">{name}</span>
    </>
  );
  return (
    <>
      {others.length === 0 ? (
        <span className="flex min-w-0 items-center gap-2 text-md font-semibold">{shown}</span>
      ) : (
        <DropdownMenu.Root>
          <DropdownMenu.Trigger className="flex h-10 min-w-0 items-center gap-2 text-md font-semibold">
            {shown}
            <ChevronDown size={16} strokeWidth={1.5} aria-label={t("open_sessions")} className="shrink-0" />
          </DropdownMenu.Trigger>
          <DropdownMenu.Portal>
            <DropdownMenu.Content
              align="start"
              sideOffset={4}
              className="z-(--z-popover) max-w-[calc(100vw-16px)] rounded-3 border border-line bg-overlay p-1 shadow-2 phone:hidden"
            >
              {others.map((tab) => (
                <DropdownMenu.Item key={tab.sessionId} asChild>
                  <Link to="/session/$sessionId" params={{ sessionId: tab.sessionId }} className={ENTRY}>
                    <span className="truncate">{tab.title}</span>
                  </Link>
                </DropdownMenu.Item>
              ))}
            </DropdownMenu.Content>
          </DropdownMenu.Portal>
        </DropdownMenu.Root>
      )}
      <Button look="ghost" small icon aria-label={t("new_session")} onClick={onNew} className="ml-auto shrink-0">
        <Plus size={16} strokeWidth={1.5} aria-hidden />
      </Button>
    </>
  );
}
