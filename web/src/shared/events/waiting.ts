// What waits for a person, in whichever session, and the page's title that says so where nothing else of the page is seen.

import { useEffect } from "react";
import { useTranslation } from "react-i18next";

import { useTasks } from "@/shared/events/live";

/** The sessions that wait. `here` is known to wait before its task's state says so. */
export function useWaitingCount(here: string | null = null): number {
  return useTasks(({ byId }) => {
    const waiting = new Set(here === null ? [] : [here]);
    for (const task of byId.values()) if (task.status === "waiting") waiting.add(task.session_id);
    return waiting.size;
  });
}

export function useTitle(name: string, waitsHere: string | null = null): void {
  const { t } = useTranslation();
  const count = useWaitingCount(waitsHere);
  useEffect(() => {
    document.title = count === 0 ? name : t("waiting_title", { count, name });
    return () => {
      document.title = "Glasshouse";
    };
  }, [count, name, t]);
}
