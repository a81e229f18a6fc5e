// What opens and closes something below it.

import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";

import { cx } from "@/shared/ui/cx";

type Props = {
  open: boolean;
  onToggle: () => void;
  /** The id of what it opens. */
  body: string;
  className?: string;
  children: ReactNode;
};

export function FoldButton({ open, onToggle, body, className, children }: Props) {
  return (
    <button
      type="button"
      aria-expanded={open}
      aria-controls={open ? body : undefined}
      onClick={onToggle}
      className={cx("flex items-center gap-2 text-left", className)}
    >
      {children}
      <Chevron open={open} />
    </button>
  );
}

export function Chevron({ open }: { open: boolean }) {
  return (
    <ChevronRight
      aria-hidden
      strokeWidth={1.5}
      className={cx("size-3.5 shrink-0 text-fg-3 transition-transform duration-(--t-base)", open && "rotate-90")}
    />
  );
}
