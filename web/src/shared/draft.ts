// What the next task is asked with: written by the composer and the information bar, kept when a request fails.

import { create } from "zustand";
import { createJSONStorage, persist } from "zustand/middleware";

import type { TaskRequest } from "@/shared/api/names";

export type PermissionMode = NonNullable<TaskRequest["permission_mode"]>;

type Fields = {
  prompt: string;
  /** Empty: the server's own default. */
  workingDir: string;
  /** null: Claude Code's own set. */
  tools: readonly string[] | null;
  permissionMode: PermissionMode;
  continueConversation: boolean;
};

type Draft = Fields & { change(fields: Partial<Fields>): void };

export const useDraft = create<Draft>()(
  persist(
    (set) => ({
      prompt: "",
      workingDir: "",
      tools: null,
      permissionMode: "default",
      continueConversation: false,
      change: (fields) => set(fields),
    }),
    // A tab's own: two tabs are two drafts, and each outlives a reload.
    { name: "glasshouse.draft", storage: createJSONStorage(() => sessionStorage) },
  ),
);
