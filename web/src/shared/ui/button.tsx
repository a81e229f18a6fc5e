import { Slot } from "radix-ui";
import type { ComponentProps } from "react";

import { cx } from "@/shared/ui/cx";

type Look = "plain" | "primary" | "ghost" | "danger";

const LOOKS: Record<Look, string> = {
  plain: "border-line bg-raised text-fg hover:bg-hover",
  primary: "border-ink bg-ink font-semibold text-on-ink hover:bg-ink-hover",
  ghost: "border-transparent text-fg-2 hover:bg-hover hover:text-fg",
  danger: "border-line bg-raised text-red-fg hover:bg-red-wash",
};

type Props = ComponentProps<"button"> & {
  look?: Look;
  small?: boolean;
  /** Only an icon: its name is `aria-label`. */
  icon?: boolean;
  asChild?: boolean;
};

export function Button({ look = "plain", small = false, icon = false, asChild = false, className, ...rest }: Props) {
  const Element = asChild ? Slot.Root : "button";
  return (
    <Element
      {...(asChild ? {} : { type: "button" as const })}
      {...rest}
      className={cx(
        "inline-flex items-center justify-center gap-1.5 rounded-2 border whitespace-nowrap transition-colors duration-(--t-fast)",
        "disabled:pointer-events-none disabled:opacity-45",
        small ? "h-7 max-phone:h-(--control-h)" : "h-(--control-h)",
        icon ? (small ? "w-7 max-phone:w-(--control-h)" : "w-(--control-h)") : small ? "px-2.5" : "px-3",
        LOOKS[look],
        className,
      )}
    />
  );
}
