// The questions that wait, in whichever session, as the server last told of them; and when their time is over.

import { create } from "zustand";

import type { QuestionReport } from "@/shared/api/types.gen";

export type WaitingQuestion = QuestionReport & {
  /** By this page's clock; null: it waits for ever. */
  readonly dueAt: number | null;
};

type Asked = {
  /** In the order of asking, by session and id. */
  readonly waiting: ReadonlyMap<string, WaitingQuestion>;
  anew(): void;
  put(question: QuestionReport): void;
};

export const askedKey = (sessionId: string, questionId: string) => `${sessionId} ${questionId}`;

export const useAsked = create<Asked>()((set) => ({
  waiting: new Map(),
  anew: () => set({ waiting: new Map() }),
  put: (question) =>
    set(({ waiting }) => {
      const key = askedKey(question.session_id, question.question_id);
      const now = new Map(waiting);
      if (question.state !== "pending") now.delete(key);
      else {
        const dueAt = question.due_in_s == null ? null : Date.now() + question.due_in_s * 1000;
        now.set(key, { ...question, dueAt });
      }
      return { waiting: now };
    }),
}));
