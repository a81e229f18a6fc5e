// The working directory: typed with completion from the server, or that of the session, which it cannot leave.

import { useQuery } from "@tanstack/react-query";
import { ChevronDown, Folder, Lock } from "lucide-react";
import { Popover } from "radix-ui";
import { useId, useState, type KeyboardEvent } from "react";
import { useTranslation } from "react-i18next";

import { useDraft } from "@/shared/draft";
import { directoriesQuery, statusQuery } from "@/shared/api/status";
import { cx } from "@/shared/ui/cx";

/** `locked`: the session's own directory. */
export function DirectoryField({ locked, problem }: { locked: string | null; problem: string | null }) {
  const { t } = useTranslation();
  const { data: status } = useQuery(statusQuery);
  const { workingDir } = useDraft();
  const [open, setOpen] = useState(false);
  const shown = locked ?? (workingDir || (status?.default_directory ?? ""));
  if (locked !== null) {
    return (
      <span className="inline-flex h-7 items-center gap-1.5 px-2" title={t("directory_is_the_sessions")}>
        <span className="text-fg-3 max-phone:sr-only">{t("working_dir")}</span>
        <span className="max-w-80 truncate font-mono text-[12px]">{shown}</span>
        <Lock size={12} strokeWidth={1.5} aria-hidden className="text-fg-3" />
      </span>
    );
  }
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger
        aria-label={`${t("working_dir")} ${shown}`}
        className={cx(
          "inline-flex h-7 items-center gap-1.5 rounded-2 px-2 hover:bg-hover",
          problem !== null && "outline-1 outline-red-edge",
        )}
      >
        <span className="text-fg-3 max-phone:hidden">{t("working_dir")}</span>
        <span className="max-w-80 truncate font-mono text-[12px]">{shown}</span>
        <ChevronDown size={12} strokeWidth={1.5} aria-hidden className="text-fg-3" />
      </Popover.Trigger>
      {problem !== null && (
        <span role="alert" className="ml-1 text-red-fg">
          {problem}
        </span>
      )}
      <Popover.Portal>
        <Popover.Content
          aria-label={t("working_dir")}
          align="start"
          sideOffset={4}
          className="z-(--z-popover) w-[min(480px,calc(100vw-16px))] rounded-3 border border-line bg-overlay p-2 shadow-2"
        >
          <Chooser shown={shown} onDone={() => setOpen(false)} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function Chooser({ shown, onDone }: { shown: string; onDone: () => void }) {
  const { t } = useTranslation();
  const change = useDraft((draft) => draft.change);
  const [typed, setTyped] = useState(shown.endsWith("/") ? shown : `${shown}/`);
  const [marked, setMarked] = useState(-1);
  const list = useId();
  const { data, isPending } = useQuery(directoriesQuery(typed));
  const found = data?.directories ?? [];

  function choose(directory: string) {
    change({ workingDir: directory.length > 1 ? directory.replace(/\/+$/, "") : directory });
    onDone();
  }

  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && found.length > 0) {
      event.preventDefault();
      setMarked((marked + step + found.length) % found.length);
    } else if (event.key === "Tab" && !event.shiftKey && found.length > 0) {
      event.preventDefault();
      setTyped(`${found[Math.max(0, marked)] as string}/`);
      setMarked(-1);
    } else if (event.key === "Enter") {
      event.preventDefault();
      choose(found[marked] ?? typed);
    }
  }

  return (
    <>
      <input
        autoFocus
        role="combobox"
        aria-label={t("working_dir")}
        aria-expanded={found.length > 0}
        aria-controls={list}
        aria-activedescendant={marked < 0 ? undefined : `${list}-${marked}`}
        spellCheck={false}
        autoCapitalize="none"
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setMarked(-1);
        }}
        onKeyDown={onKeyDown}
        className="h-(--control-h) w-full rounded-2 border border-line-control bg-surface px-2.5 font-mono text-[12px] max-phone:text-[16px]"
      />
      <ul id={list} role="listbox" aria-label={t("directories")} className="mt-1 max-h-64 overflow-y-auto">
        {found.map((directory, index) => (
          <li
            key={directory}
            id={`${list}-${index}`}
            role="option"
            aria-selected={index === marked}
            onClick={() => choose(directory)}
            className="flex min-h-8 cursor-pointer items-center gap-2 rounded-2 px-2 font-mono text-[12px] hover:bg-hover aria-selected:bg-selected"
          >
            <Folder size={14} strokeWidth={1.5} aria-hidden className="shrink-0 text-fg-3" />
            <span className="truncate">{directory}</span>
          </li>
        ))}
      </ul>
      {!isPending && found.length === 0 && <p className="px-2 py-1.5 text-sm text-fg-3">{t("no_directory")}</p>}
      <p className="px-2 pt-1 text-sm text-fg-3">{t("directory_keys")}</p>
    </>
  );
}
