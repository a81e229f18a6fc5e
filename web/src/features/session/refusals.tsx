// What a request was refused with, where it is no fault of a field.

import { RotateCw, TriangleAlert, X } from "lucide-react";
import { AlertDialog } from "radix-ui";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";

import type { Refusal } from "@/features/session/task";
import { Button } from "@/shared/ui/button";

type RequestRefusal = Extract<Refusal, { kind: "request" | "unreachable" }>;

export function RefusedRequest(props: { refusal: RequestRefusal; onRetry: () => void; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <div role="alert" className="mb-2 flex items-start gap-2.5 rounded-3 border-l-3 border-red-edge bg-red-wash px-3.5 py-2.5">
      <TriangleAlert size={16} strokeWidth={1.5} aria-hidden className="mt-0.5 shrink-0 text-red-fg" />
      <p className="min-w-0 flex-1">
        {props.refusal.kind === "unreachable" ? t("unreachable") : props.refusal.message}
        <span className="block text-fg-2">{t("draft_is_kept")}</span>
      </p>
      <Button small onClick={props.onRetry}>
        <RotateCw size={14} strokeWidth={1.5} aria-hidden />
        {t("retry")}
      </Button>
      <Button look="ghost" small icon aria-label={t("close")} onClick={props.onClose}>
        <X size={14} strokeWidth={1.5} aria-hidden />
      </Button>
    </div>
  );
}

/** The only dialog: there is nothing else to do but to wait. The draft is kept behind it. */
export function TooOftenDialog(props: { message: string; retryAfterS: number; onClose: () => void }) {
  const { t } = useTranslation();
  const [left, setLeft] = useState(props.retryAfterS);
  useEffect(() => {
    const until = Date.now() + props.retryAfterS * 1000;
    const timer = setInterval(() => setLeft(Math.max(0, Math.ceil((until - Date.now()) / 1000))), 250);
    return () => clearInterval(timer);
  }, [props.retryAfterS]);
  return (
    <AlertDialog.Root open onOpenChange={(open) => open || props.onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="fixed inset-0 z-(--z-dialog) bg-scrim" />
        <AlertDialog.Content className="fixed top-1/2 left-1/2 z-(--z-dialog) w-[min(400px,calc(100vw-32px))] -translate-1/2 rounded-4 border border-line bg-overlay p-5 shadow-3">
          <AlertDialog.Title className="text-lg">{props.message}</AlertDialog.Title>
          <AlertDialog.Description className="mt-2 text-fg-2">
            {left > 0 ? t("too_often_wait", { seconds: left }) : t("too_often_over")}
          </AlertDialog.Description>
          <div className="mt-4 flex justify-end">
            <AlertDialog.Action asChild>
              <Button look="primary">{t("understood")}</Button>
            </AlertDialog.Action>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
