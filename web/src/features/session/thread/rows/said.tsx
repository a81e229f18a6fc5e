// What the person said while the task ran, with how far it is as long as the model does not have it.

import { useTranslation } from "react-i18next";

import { Voice } from "@/features/session/thread/parts/edge";
import { MoreLine, useWholeText } from "@/features/session/thread/parts/whole-text";
import type { SaidRow } from "@/shared/events/rows";
import { cx } from "@/shared/ui/cx";

export function Said({ row }: { row: SaidRow }) {
  const { t } = useTranslation();
  const { text, more } = useWholeText(row.key, row.text);
  return (
    <Voice edge="bg-(--kind-user)" full>
      <div className="-ml-2 rounded-3 bg-said px-3.5 py-2.5 text-read leading-(--lh-read) max-phone:-ml-1.75">
        <p className="wrap-anywhere whitespace-pre-wrap">{text}</p>
        <MoreLine>{more}</MoreLine>
        {row.receipt !== "consumed" && (
          <p className={cx("mt-1 text-ui", row.receipt === "refused" ? "text-red-fg" : "text-fg-3")}>
            {t(`said_${row.receipt}`)}
            {row.reason !== null && t("said_why", { reason: row.reason })}
          </p>
        )}
      </div>
    </Voice>
  );
}
