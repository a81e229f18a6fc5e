// The edge of a call: green beside what is done, and beside what came of it the colour of how it ended.

import { Edge } from "@/features/session/thread/parts/edge";
import { useThread } from "@/features/session/thread/thread-context";
import type { ToolState } from "@/shared/events/rows";
import { cx } from "@/shared/ui/cx";

const RESULT: Record<ToolState, string> = {
  typing: "bg-green-edge",
  running: "bg-green-edge",
  done: "bg-blue-edge",
  failed: "bg-red-edge",
  unknown: "bg-grey-edge",
};

export function ToolEdge({ state, open }: { state: ToolState; open: boolean }) {
  const { running } = useThread();
  const isOpenEnded = state === "running" || state === "typing";
  const breathing = isOpenEnded && running && "animate-breathe";
  if (!open) {
    return (
      <Edge className={cx("top-1 h-[calc(var(--row-h)-8px)] overflow-hidden rounded-[2px]", breathing)}>
        <span className="block h-1/2 bg-green-edge" />
        <span className={cx("block h-1/2", RESULT[state])} />
      </Edge>
    );
  }
  const below = cx("top-[calc(var(--row-h)+1px)] bottom-0.5 rounded-b-[2px]", RESULT[state]);
  return (
    <>
      <Edge className={cx("top-0.5 h-[calc(var(--row-h)-3px)] rounded-t-[2px] bg-green-edge", breathing)} />
      <Edge className={cx(below, isOpenEnded && "opacity-25")} />
    </>
  );
}
