// How something stands, as a shape and a colour; the word beside it is the caller's.

import { Check, X } from "lucide-react";

import { cx } from "@/shared/ui/cx";

export type Mark = "pending" | "running" | "success" | "failed" | "stopped" | "complete" | "unknown" | "waiting";

export function StateMark({ mark, className }: { mark: Mark; className?: string }) {
  const box = cx("inline-block size-2.5 shrink-0", className);
  switch (mark) {
    case "running":
      return (
        <span
          aria-hidden
          className={cx(box, "animate-turn rounded-full border-2 border-blue-edge/30 border-t-blue-edge border-r-blue-edge")}
        />
      );
    case "pending":
      return <span aria-hidden className={cx(box, "rounded-full border-2 border-grey-edge")} />;
    case "stopped":
      return <span aria-hidden className={cx(box, "scale-80 rounded-[2px] bg-grey-edge")} />;
    case "waiting":
      return (
        <span
          aria-hidden
          className={cx(box, "rounded-full border-2 border-purple-edge bg-purple-edge bg-clip-content p-px")}
        />
      );
    case "unknown":
      return <span aria-hidden className={cx(box, "rounded-full border-2 border-dashed border-grey-edge")} />;
    case "failed":
      return <X aria-hidden strokeWidth={3} className={cx("size-3 shrink-0 text-red-edge", className)} />;
    case "success":
      return <Check aria-hidden strokeWidth={3} className={cx("size-3 shrink-0 text-green-edge", className)} />;
    case "complete":
      return <Check aria-hidden strokeWidth={3} className={cx("size-3 shrink-0 text-blue-edge", className)} />;
  }
}
