// One line across the page that says how things stand: the demo model, a connection that is gone.

import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

import { cx } from "@/shared/ui/cx";

const HUES = {
  sky: "border-sky-line bg-sky-wash [&_svg]:text-sky-fg",
  orange: "border-orange-line bg-orange-wash [&_svg]:text-orange-fg",
};

type Props = { hue: keyof typeof HUES; icon: LucideIcon; title: string; means: string; children?: ReactNode };

export function Strip({ hue, icon: Icon, title, means, children }: Props) {
  return (
    <div className={cx("flex min-h-9 items-center gap-2.5 border-b px-4 py-1 text-fg-2", HUES[hue])}>
      <Icon size={16} strokeWidth={1.5} aria-hidden className="shrink-0" />
      <p role="status" className="min-w-0 flex-1">
        <b className="mr-2 text-fg">{title}</b>
        {means}
      </p>
      {children}
    </div>
  );
}
