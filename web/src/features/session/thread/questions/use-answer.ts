// Sending an answer. What becomes of the question is learnt from the socket, like everything else.

import { useCallback, useState } from "react";
import { useTranslation } from "react-i18next";

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
  readonly send: (given: Given) => Promise<void>;
  readonly busy: boolean;
  readonly problem: string | null;
  readonly forgive: () => void;
};

export function useAnswer(): Answering {
  const { t } = useTranslation();
  const { sessionId } = useThread();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const send = useCallback(
    async ({ questionId, answer, answers, reason, updatedInput }: Given) => {
      setBusy(true);
      setProblem(null);
      try {
        const { remaining } = await post<AnswerTaken>("/api/task/answer", {
          session_id: sessionId,
          question_id: questionId,
          answer,
          ...(answers === undefined ? {} : { answers }),
          ...(reason === undefined || reason === "" ? {} : { reason }),
          ...(updatedInput === undefined ? {} : { updated_input: updatedInput }),
        });
        // Else the panel goes as soon as the event is here; nothing is sent twice until then.
        if (remaining.length > 0) setBusy(false);
      } catch (refused) {
        setProblem(problemOf(refused, t));
        setBusy(false);
      }
    },
    [sessionId, t],
  );
  return { send, busy, problem, forgive: useCallback(() => setProblem(null), []) };
}

function problemOf(refused: unknown, t: (key: "answer_too_late" | "unreachable") => string): string {
  if (!(refused instanceof ApiError)) return t("unreachable");
  return refused.code === "already_answered" ? t("answer_too_late") : refused.message;
}
