// The single letters that move through a thread, and the one place that says which does what.

import { useEffect, useRef } from "react";

export type ThreadActions = {
  readonly nextMessage: () => void;
  readonly previousMessage: () => void;
  readonly toggleFold: () => void;
  readonly toLatest: () => void;
  readonly nextLandmark: () => void;
  readonly previousLandmark: () => void;
};

const KEYS: Readonly<Record<string, keyof ThreadActions>> = {
  j: "nextMessage",
  k: "previousMessage",
  o: "toggleFold",
  g: "toLatest",
  n: "nextLandmark",
  p: "previousLandmark",
};

export function useThreadKeys(actions: ThreadActions): void {
  const current = useRef(actions);
  useEffect(() => {
    current.current = actions;
  });
  useEffect(() => {
    const act = (event: KeyboardEvent) => {
      const name = KEYS[event.key.toLowerCase()];
      if (name === undefined || event.defaultPrevented || isCombined(event) || isTaken(event.target)) return;
      event.preventDefault();
      current.current[name]();
    };
    document.addEventListener("keydown", act);
    return () => document.removeEventListener("keydown", act);
  }, []);
}

function isCombined(event: KeyboardEvent): boolean {
  return event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.isComposing;
}

const TAKEN =
  "input, textarea, select, [contenteditable]:not([contenteditable=false]), " +
  "[role=dialog], [role=alertdialog], [role=menu], [role=listbox]";

/** In a field letters are text, and in a menu or a dialog they are its own. */
function isTaken(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(TAKEN) !== null;
}
