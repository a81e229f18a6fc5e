// A plan, as Markdown, and what is to become of it.

import { ListChecks } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";

import { PanelFrame, Problem } from "@/features/session/thread/questions/frame";
import type { Answering } from "@/features/session/thread/questions/use-answer";
import type { AskedQuestion } from "@/shared/api/types.gen";
import { Markdown } from "@/shared/markdown/markdown";
import { Button } from "@/shared/ui/button";

export function PlanPanel({ question, answering }: { question: AskedQuestion; answering: Answering }) {
  const { t } = useTranslation();
  const { send, busy, problem } = answering;
  const [reason, setReason] = useState("");
  const answer = (choice: string) => void send({ questionId: question.question_id, answer: choice, reason });
  return (
    <PanelFrame icon={<ListChecks aria-hidden size={16} strokeWidth={1.5} />} title={t("plan_to_approve")}>
      <div className="max-h-[60vh] overflow-y-auto px-4 py-3.5">
        <Markdown text={question.plan ?? question.question_text} />
      </div>
      <div className="flex flex-wrap items-center gap-2 border-t border-line-soft px-4 py-3">
        <Button look="primary" disabled={busy} onClick={() => answer("approve")} className="max-phone:h-11 max-phone:w-full">
          {t("approve_plan")}
        </Button>
        <Button disabled={busy} onClick={() => answer("approve_accept_edits")} className="max-phone:h-11 max-phone:w-full">
          {t("approve_accept_edits")}
        </Button>
        <span className="flex min-w-60 flex-1">
          <input
            aria-label={t("plan_reason")}
            placeholder={t("plan_reason")}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
            className="h-(--control-h) min-w-0 flex-1 rounded-l-2 border border-r-0 border-line-control bg-surface px-2.5 max-phone:h-11 max-phone:text-[16px]"
          />
          <Button disabled={busy} onClick={() => answer("keep_planning")} className="rounded-l-none border-line-control max-phone:h-11">
            {t("keep_planning")}
          </Button>
        </span>
      </div>
      <Problem>{problem}</Problem>
    </PanelFrame>
  );
}
