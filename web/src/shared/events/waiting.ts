// What waits for a person, in whichever session, and the page's title that says so where nothing else of the page is seen.

import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useShallow } from "zustand/react/shallow";

import { useAsked } from "@/shared/events/asked";

/** The sessions that wait, the one that has waited longest first. */
export function useWaitingSessions(): readonly string[] {
  return useAsked(useShallow(({ waiting }) => [...new Set([...waiting.values()].map((asked) => asked.session_id))]));
}

/** `waitsHere`: a session that is known to wait before the server has told of all. */
export function useTitle(name: string, waitsHere: string | null = null): void {
  const { t } = useTranslation();
  const waiting = useWaitingSessions();
  const count = waiting.length + (waitsHere === null || waiting.includes(waitsHere) ? 0 : 1);
  useEffect(() => {
    document.title = count === 0 ? name : t("waiting_title", { count, name });
    return () => {
      document.title = "Glasshouse";
    };
  }, [count, name, t]);
}
