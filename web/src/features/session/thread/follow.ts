// Whether the thread goes with its tail. It does until a person scrolls up; then it stays where they read, and counts
// what came since.

export type Follow =
  | { readonly state: "following" }
  /** `seen` is how many items there were when the person turned to what is above. */
  | { readonly state: "reading"; readonly seen: number };

export const FOLLOWING: Follow = { state: "following" };

/** As near to the end as this counts as there: a person does not aim at a pixel. */
const NEAR_END = 24;

export type Scroll = {
  readonly offset: number;
  readonly offsetBefore: number;
  readonly distanceFromEnd: number;
  /** Whether a wheel, a finger, a key or the bar moved it, and not what grows or shrinks. */
  readonly byPerson: boolean;
};

export function afterScroll(follow: Follow, scroll: Scroll, count: number): Follow {
  const movedUp = scroll.offset < scroll.offsetBefore;
  if (follow.state === "following") {
    return scroll.byPerson && movedUp && scroll.distanceFromEnd > 1 ? { state: "reading", seen: count } : follow;
  }
  return !movedUp && scroll.distanceFromEnd <= NEAR_END ? FOLLOWING : follow;
}

export function unseen(follow: Follow, count: number): number {
  return follow.state === "following" ? 0 : Math.max(0, count - follow.seen);
}
