// The tools that the task is offered: Claude Code's own set, or only those that are ticked, which then run unasked.

import { useQuery } from "@tanstack/react-query";
import { ChevronDown } from "lucide-react";
import { Popover } from "radix-ui";
import { useTranslation } from "react-i18next";

import { useDraft } from "@/shared/draft";
import { toolsQuery } from "@/shared/api/status";
import { cx } from "@/shared/ui/cx";

export function ToolsField({ disabled, problem }: { disabled: boolean; problem: string | null }) {
  const { t } = useTranslation();
  const { tools, change } = useDraft();
  const { data } = useQuery(toolsQuery);
  const summary = tools === null ? t("tools_default") : tools.length === 0 ? t("tools_none") : tools.join(" ");

  function toggle(name: string) {
    const chosen = tools ?? [];
    change({ tools: chosen.includes(name) ? chosen.filter((each) => each !== name) : [...chosen, name] });
  }

  return (
    <Popover.Root>
      <Popover.Trigger
        disabled={disabled}
        className={cx(
          "inline-flex h-7 items-center gap-1.5 rounded-2 px-2 hover:bg-hover disabled:opacity-45",
          problem !== null && "outline-1 outline-red-edge",
        )}
      >
        <span className="text-fg-3">{t("tools")}</span>
        <span className="max-w-48 truncate">{summary}</span>
        <ChevronDown size={12} strokeWidth={1.5} aria-hidden className="text-fg-3" />
      </Popover.Trigger>
      {problem !== null && (
        <span role="alert" className="text-red-fg">
          {problem}
        </span>
      )}
      <Popover.Portal>
        <Popover.Content
          aria-label={t("tools")}
          align="start"
          sideOffset={4}
          className="z-(--z-popover) flex max-h-[min(480px,70vh)] w-[min(360px,calc(100vw-16px))] flex-col rounded-3 border border-line bg-overlay p-2 shadow-2"
        >
          <label className="flex items-start gap-2 rounded-2 px-2 py-1.5 hover:bg-hover">
            <input
              type="checkbox"
              className="mt-0.5 size-3.5 shrink-0 accent-ink"
              checked={tools === null}
              onChange={() => change({ tools: tools === null ? [] : null })}
            />
            <span>
              {t("tools_default_long")}
              <span className="block text-sm text-fg-3">{t("tools_default_means")}</span>
            </span>
          </label>
          <p className="border-t border-line-soft px-2 pt-2 pb-1 text-sm text-fg-3">{t("tools_named_means")}</p>
          <ul className="min-h-0 overflow-y-auto" aria-label={t("tools")}>
            {(data?.tools ?? [])
              .filter((tool) => tool.offered && tool.allowed)
              .map((tool) => (
                <li key={tool.name}>
                  <label className="flex items-start gap-2 rounded-2 px-2 py-1 hover:bg-hover">
                    <input
                      type="checkbox"
                      className="mt-0.5 size-3.5 shrink-0 accent-ink"
                      checked={tools?.includes(tool.name) ?? false}
                      onChange={() => toggle(tool.name)}
                    />
                    <span className="min-w-0">
                      <span className="font-mono text-[12px]">{tool.name}</span>
                      <span className="block text-sm text-fg-3">{tool.description}</span>
                    </span>
                  </label>
                </li>
              ))}
          </ul>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
