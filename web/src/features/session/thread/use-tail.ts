// Keeps the thread at its tail, or where a person reads. What counts as which is decided in follow.ts.

import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from "react";

import { afterScroll, FOLLOWING, type Follow } from "@/features/session/thread/follow";

/** A flick of a finger moves the thread for a while after it has let go. */
const STILL_BY_PERSON_MS = 800;

type Tail = {
  readonly follow: Follow;
  readonly toLatest: () => void;
  /** A person goes to a place of their choice. */
  readonly leave: () => void;
};

export function useTail(scroller: RefObject<HTMLElement | null>, count: number): Tail {
  const [follow, setFollow] = useState<Follow>(FOLLOWING);
  // What was decided last, before it is drawn: the thread must not be moved once more in between.
  const decided = useRef(follow);
  const decide = useCallback((next: Follow) => {
    decided.current = next;
    setFollow(next);
  }, []);
  const newest = useRef(count);
  useLayoutEffect(() => {
    newest.current = count;
  });

  // Without dependencies: rows grow without their number changing, and each growth draws this anew.
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element !== null && decided.current.state === "following") element.scrollTop = element.scrollHeight;
  });

  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    let offsetBefore = element.scrollTop;
    let touchedAt = Number.NEGATIVE_INFINITY;
    let isHeld = false;
    const touch = () => {
      touchedAt = performance.now();
    };
    const hold = () => {
      isHeld = true;
    };
    const letGo = () => {
      if (isHeld) touch();
      isHeld = false;
    };
    const scrolled = () => {
      const byPerson = isHeld || performance.now() - touchedAt < STILL_BY_PERSON_MS;
      if (byPerson) touch();
      const offset = element.scrollTop;
      const distanceFromEnd = element.scrollHeight - element.clientHeight - offset;
      const scroll = { offset, offsetBefore, byPerson, distanceFromEnd };
      offsetBefore = offset;
      decide(afterScroll(decided.current, scroll, newest.current));
    };
    const stop = new AbortController();
    const options = { passive: true, signal: stop.signal };
    // Before the window over the rows hears of it and draws them.
    element.addEventListener("scroll", scrolled, { ...options, capture: true });
    for (const name of ["wheel", "touchmove", "keydown"]) element.addEventListener(name, touch, options);
    element.addEventListener("pointerdown", hold, options);
    for (const name of ["pointerup", "pointercancel"]) window.addEventListener(name, letGo, options);
    return () => stop.abort();
  }, [decide, scroller]);

  const toLatest = useCallback(() => decide(FOLLOWING), [decide]);
  const leave = useCallback(() => {
    if (decided.current.state === "following") decide({ state: "reading", seen: newest.current });
  }, [decide]);
  return { follow, toLatest, leave };
}
