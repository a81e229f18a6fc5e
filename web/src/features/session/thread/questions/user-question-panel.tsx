// The questions of one asking, answered together: four kinds, follow-ups under their options, cancel with a reason.

import { CircleHelp, Plug } from "lucide-react";
import { useRef, useState, type KeyboardEvent } from "react";
import { useTranslation } from "react-i18next";

import { useAskings } from "@/features/session/thread/questions/askings";
import { choiceOf, filled, type Choice, type FormQuestion } from "@/features/session/thread/questions/draft";
import { useChoices } from "@/features/session/thread/questions/drafts";
import { QuestionField } from "@/features/session/thread/questions/field";
import { RoundProgress } from "@/features/session/thread/questions/earlier";
import { PanelFrame, Problem } from "@/features/session/thread/questions/frame";
import type { Answering } from "@/features/session/thread/questions/use-answer";
import { usePanelKeys } from "@/features/session/thread/questions/use-panel-keys";
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
  const isServers = first.kind === "elicitation";
  const { active } = useAskings();
  usePanelKeys(form);

  function choose(question: FormQuestion, change: Partial<Choice>) {
    forgive();
    setMissing([]);
    keep(question.question_id, { ...choiceOf(choices, question), ...change });
  }

  function confirm() {
    const { missing: unanswered, answers } = filled(questions, choices);
    setMissing(unanswered);
    if (unanswered.length > 0) {
      goTo(unanswered[0]!);
      return;
    }
    const { [first.question_id]: answer, ...others } = Object.fromEntries(answers);
    void send({ questionId: first.question_id, answer, answers: others });
  }

  function goTo(questionId: string) {
    form.current?.querySelector<HTMLElement>(`[data-question="${CSS.escape(questionId)}"] :is(input, textarea)`)?.focus();
  }

  /** On to what is not answered yet, which nobody was asked to have answered before; from the last, it confirms. */
  function goOnFrom(field: HTMLElement) {
    const { missing: unanswered } = filled(questions, choices);
    const here = field.closest<HTMLElement>("[data-question]")?.dataset["question"] ?? "";
    if (unanswered.length === 0 || unanswered.includes(here)) confirm();
    else goTo(unanswered[0]!);
  }

  function cancel() {
    // In one request: none of a group is left behind if the next does not get through.
    const answers = Object.fromEntries(questions.slice(1).map(({ question_id }) => [question_id, null]));
    void send({ questionId: first.question_id, answer: null, answers, reason });
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Escape" && cancelling) setCancelling(false);
    if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      confirm();
    } else if (event.target instanceof HTMLInputElement) {
      event.preventDefault();
      if (cancelling) cancel();
      else goOnFrom(event.target);
    }
  }

  return (
    <PanelFrame
      icon={isServers ? <Plug aria-hidden size={16} strokeWidth={1.5} /> : <CircleHelp aria-hidden size={16} strokeWidth={1.5} />}
      title={t(isServers ? "server_asks" : "needs_your_answer")}
      aside={
        <>
          <Asker server={first.mcp_server} isProgram={active?.taskId === ""} />
          <RoundProgress />
        </>
      }
    >
      <form
        ref={form}
        onKeyDown={onKeyDown}
        onSubmit={(event) => {
          event.preventDefault();
          confirm();
        }}
      >
        {isServers && <p className="px-4 pt-3.5 leading-[1.65] break-words whitespace-pre-wrap">{first.message}</p>}
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

/** Who wants to know, where it is not the agent of the task. */
function Asker({ server, isProgram }: { server: string | null | undefined; isProgram: boolean }) {
  const { t } = useTranslation();
  if (server == null && !isProgram) return null;
  return <span className="max-w-full truncate text-sm text-fg-2">{server ?? t("a_program_asks")}</span>;
}
