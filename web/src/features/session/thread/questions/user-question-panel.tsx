// The questions of one asking, answered together: four kinds, follow-ups under their options, cancel with a reason.

import { CircleHelp } from "lucide-react";
import { useRef, useState, type KeyboardEvent } from "react";
import { useTranslation } from "react-i18next";

import { choiceOf, filled, type Choice, type FormQuestion } from "@/features/session/thread/questions/draft";
import { useChoices } from "@/features/session/thread/questions/drafts";
import { QuestionField } from "@/features/session/thread/questions/field";
import { PanelFrame, Problem, RoundNumber } from "@/features/session/thread/questions/frame";
import type { Answering } from "@/features/session/thread/questions/use-answer";
import { useThread } from "@/features/session/thread/thread-context";
import type { AskedQuestion } from "@/shared/api/types.gen";
import { Button } from "@/shared/ui/button";

type Props = { questions: readonly AskedQuestion[]; answering: Answering };

export function UserQuestionPanel({ questions, answering }: Props) {
  const { t } = useTranslation();
  const { send, busy, problem, forgive } = answering;
  const { choices, choose: keep } = useChoices(useThread().sessionId);
  const [missing, setMissing] = useState<readonly string[]>([]);
  const [cancelling, setCancelling] = useState(false);
  const [reason, setReason] = useState("");
  const form = useRef<HTMLFormElement>(null);
  const first = questions[0]!;

  function choose(question: FormQuestion, change: Partial<Choice>) {
    forgive();
    setMissing([]);
    keep(question.question_id, { ...choiceOf(choices, question), ...change });
  }

  function confirm() {
    const { missing: unanswered, answers } = filled(questions, choices);
    setMissing(unanswered);
    if (unanswered.length > 0) {
      form.current?.querySelector<HTMLElement>(`[data-question="${CSS.escape(unanswered[0]!)}"] :is(input, textarea)`)?.focus();
      return;
    }
    const { [first.question_id]: answer, ...others } = Object.fromEntries(answers);
    void send({ questionId: first.question_id, answer, answers: others });
  }

  function cancel() {
    // In one request: none of a group is left behind if the next does not get through.
    const answers = Object.fromEntries(questions.slice(1).map(({ question_id }) => [question_id, null]));
    void send({ questionId: first.question_id, answer: null, answers, reason });
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    confirm();
  }

  return (
    <PanelFrame
      icon={<CircleHelp aria-hidden size={16} strokeWidth={1.5} />}
      title={t("needs_your_answer")}
      aside={<RoundNumber round={first.round} />}
    >
      <form
        ref={form}
        onKeyDown={onKeyDown}
        onSubmit={(event) => {
          event.preventDefault();
          confirm();
        }}
      >
        {questions.map((question) => (
          <QuestionField key={question.question_id} question={question} choices={choices} missing={missing} onChoose={choose} />
        ))}
        <Problem>{problem}</Problem>
        <footer className="sticky bottom-0 mt-4 flex flex-wrap items-center gap-2 rounded-b-[11px] border-t border-line-soft bg-raised px-4 py-3">
          {cancelling ? (
            <>
              <input
                autoFocus
                aria-label={t("cancel_reason")}
                placeholder={t("cancel_reason")}
                value={reason}
                onChange={(event) => setReason(event.target.value)}
                className="h-(--control-h) min-w-40 flex-1 rounded-2 border border-line-control bg-surface px-2.5 max-phone:text-[16px]"
              />
              <Button look="ghost" onClick={() => setCancelling(false)}>
                {t("back")}
              </Button>
              <Button look="danger" disabled={busy} onClick={cancel}>
                {t("cancel_question")}
              </Button>
            </>
          ) : (
            <>
              <span className="mr-auto text-sm text-fg-3 max-phone:hidden">{t("question_keys")}</span>
              <Button look="ghost" disabled={busy} onClick={() => setCancelling(true)} className="max-phone:h-11 max-phone:flex-1">
                {t("cancel")}
              </Button>
              <Button type="submit" look="primary" disabled={busy} className="max-phone:h-11 max-phone:flex-2">
                {busy ? t("working") : t("confirm")}
              </Button>
            </>
          )}
        </footer>
      </form>
    </PanelFrame>
  );
}
