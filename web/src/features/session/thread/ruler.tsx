// The session at a glance, right of the thread: grey for what passed, hue only for what one looks for.

import { memo } from "react";
import { useTranslation } from "react-i18next";

import type { Landmark, Tick } from "@/features/session/thread/landmarks";
import { cx } from "@/shared/ui/cx";

const LINES: Record<Landmark["kind"], string> = {
  prompt: "bg-fg-2",
  asking: "bg-purple-edge",
  error: "bg-(--kind-error)",
  complete: "bg-(--kind-complete)",
};
const WORDS = {
  prompt: "landmark_prompt",
  asking: "landmark_asking",
  error: "landmark_error",
  complete: "landmark_complete",
} as const;

const PLACE =
  "absolute top-5 right-2.5 z-(--z-sticky) flex max-h-[min(420px,calc(100%-40px))] w-3 flex-col overflow-hidden " +
  "py-0.5 max-phone:hidden";

type Props = { ticks: readonly Tick[]; first: number; last: number; onJump: (index: number) => void };

export const Ruler = memo(function Ruler({ ticks, first, last, onJump }: Props) {
  const { t } = useTranslation();
  return (
    <nav aria-label={t("landmarks")} className={PLACE}>
      {ticks.map((tick) =>
        tick.kind === "between" ? (
          <span
            key={tick.index}
            aria-hidden
            className={cx(
              "my-0.5 ml-auto h-0.5 min-h-px w-1.25 shrink rounded-[1px]",
              tick.last >= first && tick.index <= last ? "bg-grey-edge" : "bg-line",
            )}
          />
        ) : (
          <button
            key={tick.index}
            type="button"
            // N and P go there without a mouse; a stop at each would be in the way.
            tabIndex={-1}
            aria-label={t(WORDS[tick.kind], { name: tick.name })}
            title={t(WORDS[tick.kind], { name: tick.name })}
            onClick={() => onJump(tick.index)}
            className="flex h-1.5 shrink items-center justify-end"
          >
            <span className={cx("h-0.5 w-2 rounded-[1px]", LINES[tick.kind])} />
          </button>
        ),
      )}
    </nav>
  );
});
