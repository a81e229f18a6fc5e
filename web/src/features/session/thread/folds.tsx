// What is open and what is folded. It outlives the rows, which come and go as the thread scrolls.

import { createContext, useContext, useSyncExternalStore } from "react";

export class Folds {
  /** Set while a person reads above the tail: then nothing closes by itself under their eyes. */
  isReading = false;

  private readonly chosen = new Map<string, boolean>();
  private readonly opened = new Set<string>();
  private readonly watchers = new Set<() => void>();
  private version = 0;

  getVersion = (): number => this.version;

  watch = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  };

  isOpen(key: string, byItself: boolean): boolean {
    const chosen = this.chosen.get(key);
    if (chosen !== undefined) return chosen;
    if (byItself) {
      this.opened.add(key);
      return true;
    }
    if (this.isReading && this.opened.has(key)) {
      this.chosen.set(key, true);
      return true;
    }
    return false;
  }

  choose(key: string, open: boolean): void {
    this.chosen.set(key, open);
    this.version += 1;
    for (const watcher of this.watchers) watcher();
  }
}

const FoldsContext = createContext<Folds | null>(null);
export const FoldsProvider = FoldsContext.Provider;

/** Whether something is open, and what turns it; it begins as it would by itself. */
export function useFold(key: string, byItself = false): [open: boolean, toggle: () => void] {
  const folds = useContext(FoldsContext);
  if (folds === null) throw new Error("useFold outside of Thread");
  const open = useSyncExternalStore(folds.watch, () => folds.isOpen(key, byItself));
  return [open, () => folds.choose(key, !open)];
}
