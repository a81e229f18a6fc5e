// A session's log as a person reads it: a window over its rows that goes with the tail until one reads above it.

import { defaultRangeExtractor, useVirtualizer, type Range } from "@tanstack/react-virtual";
import { ArrowDown } from "lucide-react";
import { useCallback, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";

import { unseen } from "@/features/session/thread/follow";
import { Folds, FoldsProvider } from "@/features/session/thread/folds";
import { ItemView } from "@/features/session/thread/item-view";
import { gapAbove, itemsOf, type Gap, type Item } from "@/features/session/thread/items";
import { landmarksOf, ticksOf } from "@/features/session/thread/landmarks";
import { foldRounds, type Folding } from "@/features/session/thread/rounds";
import { Ruler } from "@/features/session/thread/ruler";
import { Skeleton } from "@/features/session/thread/skeleton";
import { SubThread } from "@/features/session/thread/sub-thread";
import { AskingsProvider, holdsRow, useAskings, useSessionAskings } from "@/features/session/thread/questions/askings";
import { RetryContext, ThreadProvider } from "@/features/session/thread/thread-context";
import { opensByItself } from "@/features/session/thread/tools/table";
import { useNavigation } from "@/features/session/thread/use-navigation";
import { useTail } from "@/features/session/thread/use-tail";
import type { SessionFold } from "@/shared/events/fold";
import { waits, type Row } from "@/shared/events/rows";
import type { SessionFeed } from "@/shared/events/session";
import { Button } from "@/shared/ui/button";
import { cx } from "@/shared/ui/cx";

type Props = {
  feed: SessionFeed;
  /** Whether it is known to run now: not while the connection is gone. */
  running: boolean;
  /** What is over by this event is put out of sight, for as long as the page is open. */
  clearedUpTo?: number;
  onRetry?: () => void;
};

export function Thread(props: Props) {
  // Another session is another thread: nothing that is open or scrolled here means anything there.
  return <SessionThread key={props.feed.sessionId} {...props} />;
}

function SessionThread({ feed, running, clearedUpTo = 0, onRetry }: Props) {
  const version = useSyncExternalStore(feed.watch, feed.getVersion);
  const { fold } = feed;
  const [folds] = useState(() => new Folds());
  const { sessionId } = feed;
  const facts = useMemo(() => ({ sessionId, fold, running, SubThread }), [sessionId, fold, running]);
  const foldsVersion = useSyncExternalStore(folds.watch, folds.getVersion);
  const cleared = useCleared(fold.rows, clearedUpTo);
  // The rows are one array that grows, and the folds one map: their versions tell when they did.
  const { items, folding } = useMemo(
    () => drawn(fold, folds, cleared),
    // oxlint-disable-next-line react/exhaustive-deps
    [cleared, fold, folds, version, foldsVersion],
  );
  const isShown = useOnce(feed.isCaughtUp);
  const retry = useRetry(items, running, onRetry);
  const askings = useSessionAskings(fold, version);
  return (
    <ThreadProvider value={facts}>
      <FoldsProvider value={folds}>
        <RetryContext value={retry}>
          <AskingsProvider value={askings}>
            <div className={cx("relative min-h-0 min-w-0 flex-1", MEASURES)}>
              {isShown ? <Items items={items} folds={folds} folding={folding} /> : <Skeleton />}
            </div>
          </AskingsProvider>
        </RetryContext>
      </FoldsProvider>
    </ThreadProvider>
  );
}

function drawn(fold: SessionFold, folds: Folds, cleared: ReadonlySet<string>) {
  const rows = cleared.size === 0 ? fold.rows : fold.rows.filter((row) => !cleared.has(row.key));
  const { shown, folding } = foldRounds(rows, {
    isOver: (taskId) => fold.tasks.get(taskId)?.complete != null,
    isOpen: (key, byItself) => folds.isOpen(key, byItself),
  });
  return { items: itemsOf(shown), folding };
}

/** How far content stands from its edge, and how far the ground of a line reaches back towards it. */
const MEASURES = "[--inset:22px] [--outdent:10px] max-phone:[--inset:15px] max-phone:[--outdent:7px]";
const SCROLLER =
  "h-full overflow-y-auto overscroll-contain [overflow-anchor:none] [scrollbar-width:none] " +
  "focus-visible:-outline-offset-2";

const GAPS: Record<Gap, string> = {
  none: "",
  tool: "pt-(--gap-tool)",
  card: "pt-2",
  voice: "pt-(--gap-msg)",
  round: "pt-7",
};

type ItemsProps = { items: readonly Item[]; folds: Folds; folding: ReadonlyMap<string, Folding> };

function Items({ items, folds, folding }: ItemsProps) {
  const { t } = useTranslation();
  const scroller = useRef<HTMLDivElement>(null);
  const { follow, toLatest, leave } = useTail(scroller, items.length);
  useLayoutEffect(() => {
    folds.isReading = follow.state === "reading";
  });
  const virtualizer = useItemWindow(scroller, items);
  const landmarks = useMemo(() => landmarksOf(items), [items]);
  const ticks = useMemo(() => ticksOf(items), [items]);
  const goTo = useNavigation({ scroller, virtualizer, count: items.length, landmarks, toLatest, leave });
  useWantedPanel(scroller, items, goTo);
  const isOpenCard = (item: Item) =>
    item.kind === "row" && item.row.kind === "tool"
      ? folds.isOpen(item.key, opensByItself(item.row, 0))
      : folds.isOpen(item.key, false);
  const news = unseen(follow, items.length);
  return (
    <>
      <div ref={scroller} role="log" aria-label={t("thread")} tabIndex={0} className={SCROLLER}>
        <div
          className="relative mx-auto w-full max-w-[calc(var(--thread-w)+48px)]"
          style={{ height: virtualizer.getTotalSize() }}
        >
          {virtualizer.getVirtualItems().map(({ key, index, start }) => (
            <div
              key={key}
              ref={virtualizer.measureElement}
              data-index={index}
              tabIndex={-1}
              className={cx(
                "absolute inset-x-6 max-phone:inset-x-4",
                GAPS[gapAbove(items[index]!, items[index - 1], isOpenCard)],
              )}
              // Not moved by a transform: what sticks to the window's edge inside would be off by as much.
              style={{ top: start }}
            >
              <ItemView item={items[index]!} folding={folding.get(items[index]!.key)} />
            </div>
          ))}
        </div>
      </div>
      <Ruler
        ticks={ticks}
        first={virtualizer.range?.startIndex ?? 0}
        last={virtualizer.range?.endIndex ?? 0}
        onJump={goTo}
      />
      {follow.state === "reading" && (
        <Button small onClick={toLatest} className="absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full shadow-1">
          <ArrowDown aria-hidden size={14} strokeWidth={1.5} />
          {news > 0 ? t("to_latest_with_new", { count: news }) : t("to_latest")}
        </Button>
      )}
    </>
  );
}

/** Takes a person to the panel that they asked for, if it is not in sight. */
function useWantedPanel(
  scroller: React.RefObject<HTMLElement | null>,
  items: readonly Item[],
  goTo: (index: number) => void,
) {
  const { wanted, active } = useAskings();
  const [met, setMet] = useState(wanted);
  useLayoutEffect(() => {
    if (wanted === null || wanted === met || active === null) return;
    if ("after" in wanted ? active.key === wanted.after : active.key !== wanted.key) return;
    setMet(wanted);
    const panel = scroller.current?.querySelector<HTMLElement>("[data-asks]");
    if (panel?.dataset["asks"] === active.key) {
      panel.scrollIntoView({ block: "nearest" });
      panel.focus({ preventScroll: true });
    } else {
      goTo(items.findIndex((item) => item.kind === "row" && holdsRow(item.row, active.key)));
    }
  }, [active, goTo, items, met, scroller, wanted]);
}

function useItemWindow(scroller: React.RefObject<HTMLDivElement | null>, items: readonly Item[]) {
  return useVirtualizer<HTMLDivElement, Element>({
    count: items.length,
    getScrollElement: () => scroller.current,
    getItemKey: useCallback((index: number) => items[index]!.key, [items]),
    estimateSize: (index) => likelyHeight(items[index]!),
    // The heading of the round that the window begins in is there too: what stands below it has its place in the outline.
    rangeExtractor: useCallback(
      (range: Range) => {
        const shown = defaultRangeExtractor(range);
        const first = shown[0] ?? 0;
        const heading = items.findLastIndex((item, index) => index < first && isRoundHeading(item));
        return heading === -1 ? shown : [heading, ...shown];
      },
      [items],
    ),
    // What is read keeps its place when rows above it come, go or grow.
    anchorTo: "end",
    overscan: 8,
    paddingStart: 20,
    paddingEnd: 32,
    scrollPaddingStart: 12,
    scrollPaddingEnd: 12,
  });
}

function isRoundHeading(item: Item): boolean {
  return item.kind === "row" && item.row.kind === "prompt";
}

const CHARACTERS_A_LINE = 46;

function likelyHeight(item: Item): number {
  if (item.kind === "lookups") return 36;
  switch (item.row.kind) {
    case "tool":
      return 36;
    case "prompt":
      return 120;
    case "text":
      return 16 + 26 * Math.ceil(item.row.text.length / CHARACTERS_A_LINE);
    case "error":
      return 110;
    case "asking":
      return waits(item.row) ? 360 : 44;
    case "said":
      return 72;
    case "thinking":
    case "info":
    case "complete":
      return 44;
  }
}

/** The rows that were over when the view was cleared; what still goes on stays. */
function useCleared(rows: readonly Row[], upTo: number): ReadonlySet<string> {
  const [cleared, setCleared] = useState<{ upTo: number; keys: ReadonlySet<string> }>({ upTo: 0, keys: new Set() });
  if (cleared.upTo === upTo) return cleared.keys;
  const keys = new Set(upTo === 0 ? [] : rows.filter((row) => !goesOn(row)).map((row) => row.key));
  setCleared({ upTo, keys });
  return keys;
}

function goesOn(row: Row): boolean {
  if (row.kind === "tool") return row.state === "running" || row.state === "typing";
  if (row.kind === "asking") return waits(row);
  return (row.kind === "text" || row.kind === "thinking") && row.streaming;
}

/** Whether it was ever true: a log that is read again after a break is not hidden meanwhile. */
function useOnce(now: boolean): boolean {
  const [was, setWas] = useState(now);
  if (now && !was) setWas(true);
  return was || now;
}

function useRetry(items: readonly Item[], running: boolean, onRetry: (() => void) | undefined) {
  const lastWord = items.findLast(
    (item) => item.kind === "row" && (item.row.kind === "error" || item.row.kind === "prompt"),
  );
  const isError = lastWord?.kind === "row" && lastWord.row.kind === "error";
  const errorKey = isError && !running ? lastWord.key : null;
  return useMemo(
    () => (errorKey === null || onRetry === undefined ? null : { errorKey, act: onRetry }),
    [errorKey, onRetry],
  );
}
