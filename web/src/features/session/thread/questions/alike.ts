// Which permissions are alike, and what the answer to one of them is for another. Pure.

import type { Given } from "@/features/session/thread/questions/use-answer";
import type { AskedQuestion } from "@/shared/api/types.gen";
import type { AskingRow } from "@/shared/events/rows";

/** What else waits that wants the same tool, or stands under the same rule. */
export function alikeTo(question: AskedQuestion, pending: readonly AskingRow[]): readonly AskedQuestion[] {
  const permissions = pending.flatMap(({ asked }) =>
    asked.filter((each) => each.state === "pending" && each.question.kind === "permission").map((each) => each.question),
  );
  return permissions.filter(
    (each) =>
      each.question_id !== question.question_id &&
      (each.tool_name === question.tool_name || (each.scope != null && each.scope === question.scope)),
  );
}

/** To allow a rule for the session allows what stands under it; under another rule, it is this once. */
export function sameFor(other: AskedQuestion, question: AskedQuestion, answer: string, reason: string): Given {
  const isOtherRule = answer === "allow_session" && (other.scope ?? null) !== (question.scope ?? null);
  return { questionId: other.question_id, answer: isOtherRule ? "allow" : answer, reason };
}
