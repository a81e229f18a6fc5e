// Something waits for a person: the panel while it waits, one line a question once it is settled.

import { Problem } from "@/features/session/thread/questions/frame";
import { PermissionPanel } from "@/features/session/thread/questions/permission-panel";
import { PlanPanel } from "@/features/session/thread/questions/plan-panel";
import { Settled } from "@/features/session/thread/questions/settled";
import { TrustPanel } from "@/features/session/thread/questions/trust-panel";
import { useAnswer, type Answering } from "@/features/session/thread/questions/use-answer";
import { UserQuestionPanel } from "@/features/session/thread/questions/user-question-panel";
import { Voice } from "@/features/session/thread/parts/edge";
import type { Asked, AskingRow } from "@/shared/events/rows";

export function Asking({ row }: { row: AskingRow }) {
  // Kept here rather than in the panel: why an answer was refused is told although the panel has gone.
  const answering = useAnswer();
  const pending = row.asked.filter(({ state }) => state === "pending");
  const settled = row.asked.filter(({ state }) => state !== "pending");
  return (
    <Voice edge="bg-(--kind-question)" full>
      {settled.map((asked) => (
        <Settled key={asked.question.question_id} asked={asked} />
      ))}
      {pending.length > 0 ? (
        <div data-asks={row.key}>
          <Panel asked={pending} answering={answering} />
        </div>
      ) : (
        <Problem>{answering.problem}</Problem>
      )}
    </Voice>
  );
}

function Panel({ asked, answering }: { asked: readonly Asked[]; answering: Answering }) {
  const first = asked[0]!.question;
  switch (first.kind) {
    case "permission":
      return <PermissionPanel question={first} answering={answering} />;
    case "plan_approval":
      return <PlanPanel question={first} answering={answering} />;
    case "trust":
      return <TrustPanel question={first} answering={answering} />;
    default:
      return <UserQuestionPanel questions={asked.map(({ question }) => question)} answering={answering} />;
  }
}
