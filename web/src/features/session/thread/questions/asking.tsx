// Something waits for a person: its panel while it is its turn, a line until then, and one line a question once it is settled.

import { CircleHelp } from "lucide-react";
import { useTranslation } from "react-i18next";

import { useAskings } from "@/features/session/thread/questions/askings";
import { asksToAgree, ElicitationPanel } from "@/features/session/thread/questions/elicitation-panel";
import { Problem } from "@/features/session/thread/questions/frame";
import { PermissionPanel } from "@/features/session/thread/questions/permission-panel";
import { PlanPanel } from "@/features/session/thread/questions/plan-panel";
import { Settled } from "@/features/session/thread/questions/settled";
import { subjectOfAsking } from "@/features/session/thread/questions/subject";
import { TrustPanel } from "@/features/session/thread/questions/trust-panel";
import { useAnswer, type Answering } from "@/features/session/thread/questions/use-answer";
import { UserQuestionPanel } from "@/features/session/thread/questions/user-question-panel";
import { Voice } from "@/features/session/thread/parts/edge";
import type { Asked, AskingRow } from "@/shared/events/rows";
import { Button } from "@/shared/ui/button";

export function Asking({ row }: { row: AskingRow }) {
  // Kept here rather than in the panel: why an answer was refused is told although the panel has gone.
  const answering = useAnswer(row.key);
  const { active } = useAskings();
  const pending = row.asked.filter(({ state }) => state === "pending");
  const settled = row.asked.filter(({ state }) => state !== "pending");
  return (
    <Voice edge="bg-(--kind-question)" full>
      {settled.map((asked) => (
        <Settled key={asked.question.question_id} asked={asked} />
      ))}
      {pending.length === 0 && <Problem>{answering.problem}</Problem>}
      {pending.length > 0 && active?.key !== row.key && <ItsTurnComes row={row} />}
      {pending.length > 0 && active?.key === row.key && (
        <div data-asks={row.key} tabIndex={-1} className="outline-none">
          <Panel asked={pending} answering={answering} />
        </div>
      )}
    </Voice>
  );
}

function Panel({ asked, answering }: { asked: readonly Asked[]; answering: Answering }) {
  const questions = asked.map(({ question }) => question);
  const first = questions[0]!;
  switch (first.kind) {
    case "permission":
      return <PermissionPanel question={first} answering={answering} />;
    case "plan_approval":
      return <PlanPanel question={first} answering={answering} />;
    case "trust":
      return <TrustPanel question={first} answering={answering} />;
    case "elicitation":
      if (asksToAgree(questions)) return <ElicitationPanel question={first} answering={answering} />;
      return <UserQuestionPanel questions={questions} answering={answering} />;
    default:
      return <UserQuestionPanel questions={questions} answering={answering} />;
  }
}

function ItsTurnComes({ row }: { row: AskingRow }) {
  const { t } = useTranslation();
  const { open } = useAskings();
  return (
    <p className="flex min-h-8 min-w-0 items-center gap-x-2 text-fg-2">
      <CircleHelp aria-hidden size={16} strokeWidth={1.5} className="shrink-0 text-purple-fg" />
      <span className="min-w-0 truncate text-fg">{subjectOfAsking(row, t)}</span>
      <span className="shrink-0 text-sm text-fg-3 max-phone:hidden">{t("its_turn_comes")}</span>
      <Button small className="ml-auto shrink-0" onClick={() => open(row.key)}>
        {t("answer_now")}
      </Button>
    </p>
  );
}
