// Going through the thread without a mouse: from message to message, from landmark to landmark.

import type { Virtualizer } from "@tanstack/react-virtual";
import { useCallback, useLayoutEffect, useRef, type RefObject } from "react";

import { nextLandmark, type Landmark } from "@/features/session/thread/landmarks";
import { useThreadKeys } from "@/features/session/thread/use-thread-keys";

type Options = {
  readonly scroller: RefObject<HTMLElement | null>;
  readonly virtualizer: Virtualizer<HTMLDivElement, Element>;
  readonly count: number;
  readonly landmarks: readonly Landmark[];
  readonly toLatest: () => void;
  readonly leave: () => void;
};

/** Binds the keys; gives back what goes to an item. */
export function useNavigation({
  scroller,
  virtualizer,
  count,
  landmarks,
  toLatest,
  leave,
}: Options): (index: number) => void {
  const wanted = useRef<number | null>(null);

  const focusWanted = useCallback(() => {
    if (wanted.current === null) return;
    const element = scroller.current?.querySelector<HTMLElement>(`[data-index="${wanted.current}"]`);
    if (element == null) return;
    wanted.current = null;
    element.focus({ preventScroll: true });
  }, [scroller]);
  // What is far away is drawn only after the thread has moved there.
  useLayoutEffect(focusWanted);

  const goTo = useCallback(
    (index: number, align: "start" | "auto" = "start") => {
      if (index < 0 || index >= count) return;
      wanted.current = index;
      if (index === count - 1) toLatest();
      else leave();
      virtualizer.scrollToIndex(index, { align });
      focusWanted();
    },
    [count, focusWanted, leave, toLatest, virtualizer],
  );

  const current = () => {
    const focused = document.activeElement?.closest<HTMLElement>("[data-index]");
    return focused != null && scroller.current?.contains(focused) ? Number(focused.dataset["index"]) : null;
  };
  const firstInView = () => virtualizer.range?.startIndex ?? 0;
  const step = (by: 1 | -1) => {
    const from = current();
    goTo(from === null ? firstInView() : from + by, "auto");
  };
  const landmark = (by: 1 | -1) => {
    const index = nextLandmark(landmarks, current() ?? firstInView(), by);
    if (index !== null) goTo(index);
  };

  useThreadKeys({
    nextMessage: () => step(1),
    previousMessage: () => step(-1),
    toggleFold: () => {
      const index = current();
      const item = index === null ? null : scroller.current?.querySelector(`[data-index="${index}"]`);
      item?.querySelector<HTMLButtonElement>("button[aria-expanded]")?.click();
    },
    toLatest,
    nextLandmark: () => landmark(1),
    previousLandmark: () => landmark(-1),
  });

  return goTo;
}
