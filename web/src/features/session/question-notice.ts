// A notice of the system's own when something waits for the person who looks elsewhere; it leads back here.

import { useEffect } from "react";
import { useTranslation } from "react-i18next";

import type { Standing } from "@/features/session/standing";

export function useQuestionNotice({ word, what }: Standing, sessionId: string | null): void {
  const { t } = useTranslation();
  useEffect(() => {
    if (word !== "waiting" || !document.hidden || !("Notification" in window)) return undefined;
    if (Notification.permission !== "granted") return undefined;
    const notice = new Notification(t("standing_waiting"), { body: what ?? "", tag: sessionId ?? "" });
    notice.onclick = () => {
      window.focus();
      notice.close();
    };
    return () => notice.close();
  }, [word, what, sessionId, t]);
}
