// Where the next task is written. Enter sends, Ctrl+Enter breaks the line.

import { ArrowUp, ChevronDown, Eraser, Shield, Square, TriangleAlert } from "lucide-react";
import { Select } from "radix-ui";
import { memo, useEffect, useRef, type KeyboardEvent } from "react";
import { useTranslation } from "react-i18next";

import { useDraft, type PermissionMode } from "@/shared/draft";
import type { Standing } from "@/features/session/standing";
import { Button } from "@/shared/ui/button";
import { cx } from "@/shared/ui/cx";

const TALLEST_PX = 240;

type Props = {
  now: Standing;
  prompt: string;
  placeholder: string;
  bypass: boolean;
  /** Why nothing can be sent now, although it can be written. */
  sendingIsOff: string | null;
  problem: string | null;
  onSend: () => void;
  onStop: () => void;
  onClear: () => void;
  onEdit: () => void;
};

export const Composer = memo(function Composer(props: Props) {
  const { now, prompt, placeholder, bypass, sendingIsOff, problem, onSend, onStop, onClear, onEdit } = props;
  const { t } = useTranslation();
  const change = useDraft((draft) => draft.change);
  const field = useRef<HTMLTextAreaElement>(null);
  const isBusy = now.isBusy && sendingIsOff === null;

  useEffect(() => {
    const area = field.current;
    if (area === null) return;
    area.style.height = "auto";
    area.style.height = `${Math.min(area.scrollHeight, TALLEST_PX)}px`;
  }, [prompt]);
  useEffect(() => {
    if (!isBusy && matchMedia("(pointer: fine)").matches) field.current?.focus();
  }, [isBusy]);

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>) {
    // While an input method composes, Enter chooses a word.
    if (event.key !== "Enter" || event.nativeEvent.isComposing || event.shiftKey) return;
    event.preventDefault();
    if (event.ctrlKey || event.metaKey) breakLine(event.currentTarget, (text) => change({ prompt: text }));
    else if (sendingIsOff === null) onSend();
  }

  return (
    <div>
      <div
        className={cx(
          "rounded-4 border",
          isBusy ? "bg-sunken" : "bg-raised shadow-1",
          problem === null ? "border-line focus-within:border-line-control" : "border-red-edge",
        )}
      >
        <textarea
          ref={field}
          rows={1}
          aria-label={t("composer")}
          aria-invalid={problem !== null}
          aria-describedby={problem === null ? undefined : "prompt-problem"}
          disabled={isBusy}
          placeholder={isBusy ? t(now.word === "waiting" ? "answer_first" : "working") : placeholder}
          value={isBusy ? "" : prompt}
          onChange={(event) => {
            onEdit();
            change({ prompt: event.target.value });
          }}
          onKeyDown={onKeyDown}
          className="block min-h-12 w-full resize-none bg-transparent px-3.5 pt-3.5 text-read leading-(--lh-ui) outline-none disabled:cursor-not-allowed disabled:text-fg-3 max-phone:text-[16px]"
        />
        <div className="flex items-center gap-2 p-2">
          <ModeSelect bypass={bypass} disabled={isBusy} />
          <span
            className={cx(
              "min-w-0 flex-1 truncate text-center text-sm text-fg-3",
              sendingIsOff === null && "max-phone:invisible",
            )}
          >
            {sendingIsOff ?? (isBusy ? t(now.word === "waiting" ? "answer_hint" : "stop_hint") : t("send_hint"))}
          </span>
          <Button look="ghost" small onClick={onClear} title={`${t("clear")} Ctrl+L`}>
            <Eraser size={16} strokeWidth={1.5} aria-hidden />
            {t("clear")}
          </Button>
          {isBusy ? (
            <Button small onClick={onStop} disabled={now.word === "stopping" || now.taskId === null}>
              <Square size={12} fill="currentColor" aria-hidden />
              {now.word === "stopping" ? t("stopping") : t("stop")}
            </Button>
          ) : (
            <Button
              look="primary"
              small
              onClick={onSend}
              disabled={sendingIsOff !== null}
              title={sendingIsOff ?? undefined}
            >
              <ArrowUp size={16} strokeWidth={2} aria-hidden />
              {t("send")}
            </Button>
          )}
        </div>
      </div>
      {problem !== null && (
        <p id="prompt-problem" role="alert" className="mt-1.5 flex items-center gap-1.5 text-red-fg">
          <TriangleAlert size={14} strokeWidth={1.5} aria-hidden className="shrink-0" />
          {problem}
        </p>
      )}
    </div>
  );
});

const MODES: readonly PermissionMode[] = ["default", "acceptEdits", "plan", "bypassPermissions"];

function ModeSelect({ bypass, disabled }: { bypass: boolean; disabled: boolean }) {
  const { t } = useTranslation();
  const { permissionMode, change } = useDraft();
  const isRisky = permissionMode === "bypassPermissions";
  return (
    <Select.Root
      value={permissionMode}
      onValueChange={(mode) => change({ permissionMode: mode as PermissionMode })}
      disabled={disabled}
    >
      <Select.Trigger
        aria-label={t("permission_mode")}
        className={cx(
          "inline-flex h-7 items-center gap-1.5 rounded-2 px-2 font-mono text-[12px] hover:bg-hover disabled:opacity-45 max-phone:h-10",
          isRisky ? "text-red-fg" : "text-fg-2",
        )}
      >
        <Shield size={14} strokeWidth={1.5} aria-hidden />
        <Select.Value />
        <ChevronDown size={12} strokeWidth={1.5} aria-hidden />
      </Select.Trigger>
      <Select.Portal>
        <Select.Content
          position="popper"
          side="top"
          sideOffset={6}
          className="z-(--z-popover) max-w-80 rounded-3 border border-line bg-overlay p-1 shadow-2"
        >
          <Select.Viewport>
            {MODES.map((mode) => (
              <Select.Item
                key={mode}
                value={mode}
                disabled={mode === "bypassPermissions" && !bypass}
                // Its name is all that one sees of it, with what the mode means.
                aria-labelledby={undefined}
                className="cursor-pointer rounded-2 px-2.5 py-1.5 outline-none data-disabled:cursor-default data-disabled:opacity-60 data-highlighted:bg-hover data-[state=checked]:bg-selected"
              >
                <span className={cx("block font-mono text-[12px]", mode === "bypassPermissions" && "text-red-fg")}>
                  <Select.ItemText>{mode}</Select.ItemText>
                </span>
                <span className="block text-sm text-fg-3">
                  {mode === "bypassPermissions" && !bypass ? t("mode_bypassPermissions_off") : t(`mode_${mode}`)}
                </span>
              </Select.Item>
            ))}
          </Select.Viewport>
        </Select.Content>
      </Select.Portal>
    </Select.Root>
  );
}

function breakLine(area: HTMLTextAreaElement, put: (text: string) => void): void {
  const { selectionStart: start, selectionEnd: end, value } = area;
  put(`${value.slice(0, start)}\n${value.slice(end)}`);
  requestAnimationFrame(() => area.setSelectionRange(start + 1, start + 1));
}
