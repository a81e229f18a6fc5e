// A thread on a page as a test sees it: a real feed, real words, and sizes, which a page without layout does not have.

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, render } from "@testing-library/react";
import { afterEach, beforeAll } from "vitest";

import { Thread } from "@/features/session/thread";
import { SessionFeed } from "@/shared/events/session";
import { startTranslations } from "@/shared/i18n";

import { Script, type Numbered } from "../fold/events";

const WINDOW_HEIGHT = 4000;
const ITEM_HEIGHT = 40;

export function useScreen(): void {
  beforeAll(() => startTranslations("zh"));
  beforeAll(() => {
    // A page without layout: the window over the thread is tall enough for all that a test shows.
    sized("clientHeight", (element) => (element.role === "log" ? WINDOW_HEIGHT : ITEM_HEIGHT));
    sized("offsetHeight", () => ITEM_HEIGHT);
  });
  afterEach(cleanup);
}

function sized(name: "clientHeight" | "offsetHeight", height: (element: HTMLElement) => number): void {
  Object.defineProperty(HTMLElement.prototype, name, {
    configurable: true,
    get(this: HTMLElement) {
      return height(this);
    },
  });
}

type Options = { running?: boolean; clearedUpTo?: number; onRetry?: () => void };

export async function show(events: readonly Numbered[], options: Options = {}) {
  const feed = new SessionFeed("a0000000-0000-4000-8000-000000000001");
  const page = ({ running = false, ...rest }: Options) => (
    <QueryClientProvider client={new QueryClient()}>
      <Thread feed={feed} running={running} {...rest} />
    </QueryClientProvider>
  );
  const { container, rerender } = render(page(options));
  const tell = (more: readonly Numbered[]) =>
    shown(feed, () => {
      for (const { seq, event } of more) feed.event(seq, event);
      feed.caughtUp(feed.position());
    });
  await tell(events);
  return { container, feed, tell, change: (now: Options) => rerender(page(now)) };
}

/** Until what was given to the feed is on the page. */
export async function shown(feed: SessionFeed, give: () => void): Promise<void> {
  await act(async () => {
    let unwatch = () => {};
    await new Promise<void>((resolve) => {
      unwatch = feed.watch(resolve);
      give();
    });
    unwatch();
  });
}

export { Script };
