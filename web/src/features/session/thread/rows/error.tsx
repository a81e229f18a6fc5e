// What went wrong: what happened, what it means, what one can do.

import { RotateCw, TriangleAlert } from "lucide-react";
import { useContext, useId } from "react";
import { useTranslation } from "react-i18next";

import { useFold } from "@/features/session/thread/folds";
import { Voice } from "@/features/session/thread/parts/edge";
import { Chevron } from "@/features/session/thread/parts/fold-button";
import { RetryContext } from "@/features/session/thread/thread-context";
import type { ErrorRow } from "@/shared/events/rows";
import { Button } from "@/shared/ui/button";

export function ErrorMessage({ row }: { row: ErrorRow }) {
  const { t } = useTranslation();
  const retry = useContext(RetryContext);
  const [open, toggle] = useFold(row.key);
  const body = useId();
  const { error, detail } = row.metadata;
  const canRetry = retry?.errorKey === row.key;
  return (
    <Voice edge="bg-(--kind-error)" full>
      <div className="-ml-2 rounded-3 bg-red-wash px-3.5 pt-2.5 pb-3 max-phone:-ml-1.75">
        <h3 className="flex items-center gap-2 text-md text-red-fg">
          <TriangleAlert aria-hidden size={16} strokeWidth={1.5} className="shrink-0" />
          {t(error)}
        </h3>
        <p className="mt-0.5 pl-6 leading-[1.65] wrap-anywhere whitespace-pre-wrap text-fg-2">{row.text}</p>
        {(canRetry || detail != null) && (
          <div className="mt-2.5 flex flex-wrap items-center gap-2 pl-6">
            {canRetry && (
              <Button small onClick={retry.act}>
                <RotateCw aria-hidden size={16} strokeWidth={1.5} />
                {t("retry")}
              </Button>
            )}
            {detail != null && (
              <Button small look="ghost" aria-expanded={open} aria-controls={open ? body : undefined} onClick={toggle}>
                {t("error_detail")}
                <Chevron open={open} />
              </Button>
            )}
          </div>
        )}
        {open && detail != null && (
          <pre
            id={body}
            className="mt-2 ml-6 font-mono text-code leading-(--lh-code) wrap-anywhere whitespace-pre-wrap text-fg-2"
          >
            {detail}
          </pre>
        )}
      </div>
    </Voice>
  );
}
