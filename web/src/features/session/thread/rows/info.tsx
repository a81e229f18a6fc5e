// What is worth knowing beside the work, in one line. A call to the model that is tried again is not yet an error.

import { Info, RotateCw } from "lucide-react";
import { useId } from "react";

import { useFold } from "@/features/session/thread/folds";
import { Voice } from "@/features/session/thread/parts/edge";
import { FoldButton } from "@/features/session/thread/parts/fold-button";
import type { InfoRow } from "@/shared/events/rows";
import { cx } from "@/shared/ui/cx";

const LONGEST_LINE = 120;

export function InfoLine({ row }: { row: InfoRow }) {
  const isRetry = row.metadata["notice"] === "api_retry";
  const Icon = isRetry ? RotateCw : Info;
  const text = row.text.trim();
  const isLong = text.length > LONGEST_LINE || text.includes("\n");
  return (
    <Voice edge={isRetry ? "bg-orange-edge" : "bg-(--kind-info)"}>
      <div className={cx("flex min-h-6.5 items-center gap-2", isRetry ? "text-orange-fg" : "text-fg-2")}>
        <Icon
          aria-hidden
          size={16}
          strokeWidth={1.5}
          className={cx("shrink-0 self-start mt-1.25", isRetry ? "text-orange-fg" : "text-sky-fg")}
        />
        {isLong ? <LongInfo row={row} text={text} /> : <span className="min-w-0 wrap-anywhere">{text}</span>}
      </div>
    </Voice>
  );
}

function LongInfo({ row, text }: { row: InfoRow; text: string }) {
  const [open, toggle] = useFold(row.key);
  const body = useId();
  return (
    <div className="min-w-0">
      <FoldButton open={open} onToggle={toggle} body={body} className="max-w-full hover:text-fg">
        <span className="min-w-0 truncate">{text.split("\n", 1)[0]}</span>
      </FoldButton>
      {open && (
        <p id={body} className="mt-1 wrap-anywhere whitespace-pre-wrap text-fg-3">
          {text}
        </p>
      )}
    </div>
  );
}
