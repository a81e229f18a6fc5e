// Where the task works, in which session, with which tools.

import { Plus } from "lucide-react";
import { memo } from "react";
import { useTranslation } from "react-i18next";

import { DirectoryField } from "@/features/session/directory-field";
import { useDraft } from "@/shared/draft";
import type { Refusal } from "@/features/session/task";
import { ToolsField } from "@/features/session/tools-field";
import { Button } from "@/shared/ui/button";
import { CopyButton } from "@/shared/ui/copy-button";

type Props = {
  sessionId: string | null;
  /** The session's own, where there is one. */
  workingDir: string;
  refusal: Refusal | null;
  isBusy: boolean;
  onNew: () => void;
};

export const InformationBar = memo(function InformationBar({ sessionId, workingDir, refusal, isBusy, onNew }: Props) {
  const { t } = useTranslation();
  const { continueConversation, change } = useDraft();
  const problem = (field: string) => (refusal?.kind === "field" && refusal.field === field ? refusal.message : null);
  const other = problem("permissionMode");
  return (
    <div className="border-b border-line-soft">
      <div className="flex min-h-10 items-center gap-0.5 px-2 [scrollbar-width:none] max-phone:overflow-x-auto max-phone:mask-r-from-88% max-phone:pr-[12%] [&>*]:shrink-0">
        <DirectoryField locked={sessionId === null ? null : workingDir} problem={problem("workingDir")} />
        <span className="inline-flex h-7 items-center gap-1.5 px-2">
          <span className="text-fg-3">{t("session_id")}</span>
          <span className="font-mono text-[12px]" title={sessionId ?? undefined}>
            {sessionId === null ? t(continueConversation ? "newest_session" : "new_session") : short(sessionId)}
          </span>
          {sessionId !== null && <CopyButton text={sessionId} label={t("copy_session_id")} />}
        </span>
        <ToolsField disabled={isBusy} problem={problem("tools")} />
        <label className="inline-flex h-7 items-center gap-1.5 rounded-2 px-2 hover:bg-hover has-disabled:opacity-45">
          <input
            type="checkbox"
            className="size-3.5 accent-ink"
            disabled={sessionId !== null || isBusy}
            checked={continueConversation}
            onChange={(event) => change({ continueConversation: event.target.checked })}
          />
          {t("continue_conversation")}
        </label>
        <Button small onClick={onNew} className="ml-auto max-phone:hidden">
          <Plus size={16} strokeWidth={1.5} aria-hidden />
          {t("new_session")}
        </Button>
      </div>
      {other !== null && (
        <p role="alert" className="px-4 pb-1.5 text-red-fg">
          {other}
        </p>
      )}
    </div>
  );
});

function short(sessionId: string): string {
  return `${sessionId.slice(0, 8)}…${sessionId.slice(-4)}`;
}
