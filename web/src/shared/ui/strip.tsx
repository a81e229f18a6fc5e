// One line across the page that says how things stand: the demo model, a connection that is gone.

import type { ReactNode } from "react";

import { cx } from "@/shared/ui/cx";

const HUES = {
  sky: "border-sky-line bg-sky-wash [&_svg]:text-sky-fg",
  orange: "border-orange-line bg-orange-wash [&_svg]:text-orange-fg",
};

export function Strip({ hue, icon, children }: { hue: keyof typeof HUES; icon: ReactNode; children: ReactNode }) {
  return (
    <div role="status" className={cx("flex min-h-9 items-center gap-2.5 border-b px-4 py-1.5 text-fg-2", HUES[hue])}>
      {icon}
      <span className="min-w-0">{children}</span>
    </div>
  );
}
