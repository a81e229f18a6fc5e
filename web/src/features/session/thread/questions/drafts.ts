// What has been chosen and not sent yet: it outlives a panel that is scrolled out of sight, and a reload.

import { useCallback, useMemo } from "react";
import { create } from "zustand";
import { createJSONStorage, persist } from "zustand/middleware";

import type { Choice, Choices } from "@/features/session/thread/questions/draft";

type BySession = Readonly<Record<string, Readonly<Record<string, Choice>>>>;

export const useAnswerDrafts = create<{ readonly bySession: BySession }>()(
  persist((): { bySession: BySession } => ({ bySession: {} }), {
    name: "glasshouse.answers",
    storage: createJSONStorage(() => sessionStorage),
  }),
);

/** A question's id is its session's own: another session may use it, too. */
export function useChoices(sessionId: string) {
  const drafts = useAnswerDrafts((state) => state.bySession[sessionId]);
  const choices: Choices = useMemo(() => new Map(Object.entries(drafts ?? {})), [drafts]);
  const choose = useCallback(
    (questionId: string, choice: Choice) =>
      useAnswerDrafts.setState(({ bySession }) => ({
        bySession: { ...bySession, [sessionId]: { ...bySession[sessionId], [questionId]: choice } },
      })),
    [sessionId],
  );
  return { choices, choose };
}
