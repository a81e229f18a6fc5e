// A notice of the system's own when something waits for a person who looks elsewhere; it leads to the session that waits.

import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";

import { useAsked, type WaitingQuestion } from "@/shared/events/asked";

/** One a session: what it waits for next replaces what it waited for. */
export function useNotices(): void {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const shown = useRef(new Map<string, Notification>());
  // After a break in the connection all that waits is told anew.
  const told = useRef(new Set<string>());
  useEffect(() => {
    const notices = shown.current;
    const show = ({ session_id: sessionId, question_text: text }: WaitingQuestion) => {
      const notice = new Notification(t("standing_waiting"), { body: text.split("\n", 1)[0] ?? "", tag: sessionId });
      notice.onclick = () => {
        window.focus();
        notice.close();
        void navigate({ to: "/session/$sessionId", params: { sessionId } });
      };
      notices.set(sessionId, notice);
    };
    const stop = useAsked.subscribe(({ waiting }) => {
      const sessions = new Set([...waiting.values()].map(({ session_id }) => session_id));
      for (const [sessionId, notice] of notices) {
        if (sessions.has(sessionId)) continue;
        notice.close();
        notices.delete(sessionId);
      }
      if (!document.hidden || !("Notification" in window) || Notification.permission !== "granted") return;
      for (const [key, asked] of waiting) {
        if (told.current.has(key) || notices.has(asked.session_id)) continue;
        told.current.add(key);
        show(asked);
      }
    });
    return () => {
      stop();
      for (const notice of notices.values()) notice.close();
      notices.clear();
    };
  }, [navigate, t]);
}
