// The sessions that this tab of the browser has open, in the order in which they were opened.

import { create } from "zustand";
import { createJSONStorage, persist } from "zustand/middleware";

export type SessionTab = { readonly sessionId: string; readonly title: string };

type Tabs = {
  readonly open: readonly SessionTab[];
  show(tab: SessionTab): void;
  close(sessionId: string): void;
};

const TITLE_LENGTH = 50;

export const useTabs = create<Tabs>()(
  persist(
    (set) => ({
      open: [],
      show: ({ sessionId, title }) =>
        set(({ open }) =>
          open.some((tab) => tab.sessionId === sessionId)
            ? { open }
            : { open: [...open, { sessionId, title: [...title].slice(0, TITLE_LENGTH).join("") }] },
        ),
      close: (sessionId) => set(({ open }) => ({ open: open.filter((tab) => tab.sessionId !== sessionId) })),
    }),
    { name: "glasshouse.tabs", storage: createJSONStorage(() => sessionStorage) },
  ),
);
