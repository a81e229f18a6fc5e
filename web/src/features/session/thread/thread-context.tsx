// What every row of a thread may ask of the session that it is in.

import { createContext, useContext, type ComponentType } from "react";

import type { SessionFold } from "@/shared/events/fold";
import type { Row } from "@/shared/events/rows";

export type ThreadFacts = {
  readonly sessionId: string;
  readonly fold: SessionFold;
  /** Whether it is known to run now: without a connection what ran last may have ended, so nothing moves. */
  readonly running: boolean;
  /** How rows are drawn inside a row: a sub-agent's card holds them and knows no more of them. */
  readonly SubThread: ComponentType<{ rows: readonly Row[]; since: string }>;
};

const ThreadContext = createContext<ThreadFacts | null>(null);
export const ThreadProvider = ThreadContext.Provider;

export function useThread(): ThreadFacts {
  const facts = useContext(ThreadContext);
  if (facts === null) throw new Error("useThread outside of Thread");
  return facts;
}

export type Retry = { readonly errorKey: string; readonly act: () => void };

/** What the last error offers, while it is the last word. */
export const RetryContext = createContext<Retry | null>(null);

/** How many sub-agents deep a row is. */
export const DepthContext = createContext(0);
