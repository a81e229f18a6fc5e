// Sending answers. What becomes of the question is learnt from the socket, like everything else.

import { useCallback, useState } from "react";
import { useTranslation } from "react-i18next";

import { useAskings } from "@/features/session/thread/questions/askings";
import { useThread } from "@/features/session/thread/thread-context";
import { ApiError, post } from "@/shared/api/client";
import type { AnswerTaken } from "@/shared/api/types.gen";

export type Given = {
  readonly questionId: string;
  readonly answer: unknown;
  readonly answers?: Readonly<Record<string, unknown>>;
  readonly reason?: string;
  readonly updatedInput?: Readonly<Record<string, unknown>>;
};

export type Answering = {
  /** `others`: alike questions of other askings, with answers of their own. */
  readonly send: (given: Given, others?: readonly Given[]) => Promise<void>;
  readonly busy: boolean;
  readonly problem: string | null;
  readonly forgive: () => void;
};

export function useAnswer(asking: string): Answering {
  const { t } = useTranslation();
  const { sessionId } = useThread();
  const { goOn } = useAskings();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const send = useCallback(
    async (given: Given, others: readonly Given[] = []) => {
      setBusy(true);
      setProblem(null);
      const [own, ...beside] = await Promise.allSettled([given, ...others].map((each) => post<AnswerTaken>(...request(sessionId, each))));
      const refused = [own!, ...beside].find((result) => result.status === "rejected");
      if (refused !== undefined) setProblem(problemOf(refused.reason, t));
      // Else the panel goes as soon as the event is here; nothing is sent twice until then.
      const isTaken = own?.status === "fulfilled" && own.value.remaining.length === 0;
      if (isTaken) goOn(asking);
      else setBusy(false);
    },
    [asking, goOn, sessionId, t],
  );
  return { send, busy, problem, forgive: useCallback(() => setProblem(null), []) };
}

function request(sessionId: string, { questionId, answer, answers, reason, updatedInput }: Given): [string, object] {
  return [
    "/api/task/answer",
    {
      session_id: sessionId,
      question_id: questionId,
      answer,
      ...(answers === undefined ? {} : { answers }),
      ...(reason === undefined || reason === "" ? {} : { reason }),
      ...(updatedInput === undefined ? {} : { updated_input: updatedInput }),
    },
  ];
}

function problemOf(refused: unknown, t: (key: "answer_too_late" | "unreachable") => string): string {
  if (!(refused instanceof ApiError)) return t("unreachable");
  return refused.code === "already_answered" ? t("answer_too_late") : refused.message;
}
