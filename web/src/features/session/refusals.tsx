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

type TooOftenProps = { message: string; retryAfterS: number; onSend: () => void; onClose: () => void };

/** The only dialog: there is nothing else to do but to wait. The draft is kept behind it. */
export function TooOftenDialog({ message, retryAfterS, onSend, onClose }: TooOftenProps) {
  const { t } = useTranslation();
  const left = useCountdown(retryAfterS);
  const words = left > 0 ? t("too_often_wait", { seconds: left }) : t("too_often_over");
  return (
    <AlertDialog.Root open onOpenChange={(open) => open || onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="fixed inset-0 z-(--z-dialog) bg-scrim" />
        <AlertDialog.Content className="fixed top-1/2 left-1/2 z-(--z-dialog) w-[min(400px,calc(100vw-32px))] -translate-1/2 rounded-4 border border-line bg-overlay p-5 shadow-3">
          <AlertDialog.Title className="text-lg">{message}</AlertDialog.Title>
          <AlertDialog.Description className="mt-2 text-fg-2">{words}</AlertDialog.Description>
          <progress
            aria-label={words}
            max={retryAfterS}
            value={retryAfterS - left}
            className="mt-3 block h-1 w-full appearance-none overflow-hidden rounded-full [&::-moz-progress-bar]:bg-blue-edge [&::-webkit-progress-bar]:bg-selected [&::-webkit-progress-value]:bg-blue-edge"
          />
          <div className="mt-4 flex justify-end gap-2">
            <AlertDialog.Cancel asChild>
              <Button>{t("understood")}</Button>
            </AlertDialog.Cancel>
            <Button look="primary" disabled={left > 0} onClick={onSend}>
              {t("send")}
            </Button>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

function useCountdown(seconds: number): number {
  const [left, setLeft] = useState(seconds);
  useEffect(() => {
    const until = Date.now() + seconds * 1000;
    const timer = setInterval(() => setLeft(Math.max(0, Math.ceil((until - Date.now()) / 1000))), 250);
    return () => clearInterval(timer);
  }, [seconds]);
  return left;
}
