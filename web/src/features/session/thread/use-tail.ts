// Keeps the thread at its tail, or where a person reads. What counts as which is decided in follow.ts.

import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from "react";

import { afterScroll, FOLLOWING, type Follow } from "@/features/session/thread/follow";

/** A flick of a finger moves the thread for a while after it has let go. */
const STILL_BY_PERSON_MS = 800;
const HEAD_ROOM_PX = 12;

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
  /** The asking panel that a person is at: it is not moved under them. */
  const attended = useRef<string | null>(null);
  const newest = useRef(count);
  useLayoutEffect(() => {
    newest.current = count;
  });

  // Without dependencies: rows grow without their number changing, and each growth draws this anew.
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null || decided.current.state !== "following") return;
    const asks = asksIn(element);
    if (asks !== null && keyOf(asks) === attended.current) return;
    const offset = asks === null ? 0 : asks.getBoundingClientRect().top - element.getBoundingClientRect().top;
    const fromItsHead = element.scrollHeight - element.scrollTop - offset;
    if (asks === null || fromItsHead + HEAD_ROOM_PX <= element.clientHeight) {
      element.scrollTop = element.scrollHeight;
    } else {
      // Longer than the window, or with more below it: from its head, which stays in sight while rows find their heights.
      element.scrollTop += offset - HEAD_ROOM_PX;
    }
  });

  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    let offsetBefore = element.scrollTop;
    let touchedAt = Number.NEGATIVE_INFINITY;
    let isHeld = false;
    const attend = () => {
      attended.current = keyOf(asksIn(element));
    };
    const touch = () => {
      touchedAt = performance.now();
      attend();
    };
    const hold = () => {
      isHeld = true;
      attend();
    };
    const letGo = () => {
      if (isHeld) touchedAt = performance.now();
      isHeld = false;
    };
    const scrolled = () => {
      const byPerson = isHeld || performance.now() - touchedAt < STILL_BY_PERSON_MS;
      if (byPerson) touchedAt = performance.now();
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
    element.addEventListener("focusin", attend, options);
    for (const name of ["pointerup", "pointercancel"]) window.addEventListener(name, letGo, options);
    return () => stop.abort();
  }, [decide, scroller]);

  const toLatest = useCallback(() => {
    attended.current = null;
    decide(FOLLOWING);
  }, [decide]);
  const leave = useCallback(() => {
    if (decided.current.state === "following") decide({ state: "reading", seen: newest.current });
  }, [decide]);
  return { follow, toLatest, leave };
}

function asksIn(element: HTMLElement): HTMLElement | null {
  return element.querySelector<HTMLElement>("[data-asks]");
}

function keyOf(asks: HTMLElement | null): string | null {
  return asks?.dataset["asks"] ?? null;
}
