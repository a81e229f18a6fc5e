// The coloured edge, always at the same place: where colour lives.

import type { ReactNode } from "react";

import { cx } from "@/shared/ui/cx";

/** What one voice says, beside its edge. */
export function Voice({ edge, full = false, children }: { edge: string; full?: boolean; children: ReactNode }) {
  return (
    <div className="relative min-w-0 pl-(--inset)">
      <Edge className={cx("rounded-[2px]", full ? "inset-y-0" : "inset-y-1.25", edge)} />
      {children}
    </div>
  );
}

export function Edge({ className, children }: { className: string; children?: ReactNode }) {
  return (
    <span aria-hidden className={cx("absolute left-0 w-(--edge)", className)}>
      {children}
    </span>
  );
}
