// A panel's digits: 1 to 9 choose. From the page as well as in the panel, but never in a field, where they are text.

import { useEffect, type RefObject } from "react";

/** What was meant for the field that a person wrote in must not choose in a panel that has just come. */
const AWAKE_AFTER_MS = 500;
const NOT_OURS =
  "input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]:not([contenteditable=false]), " +
  "[role=dialog], [role=alertdialog], [role=menu], [role=listbox]";

export function usePanelKeys(panel: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const shownAt = performance.now();
    const act = (event: KeyboardEvent) => {
      if (!/^[1-9]$/.test(event.key) || event.defaultPrevented || isCombined(event)) return;
      const target = event.target instanceof Element ? event.target : null;
      if (panel.current === null || target?.closest(NOT_OURS) != null) return;
      const isInside = panel.current.contains(target);
      if (!isInside && event.timeStamp - shownAt < AWAKE_AFTER_MS) return;
      const question = (isInside ? target?.closest("[data-question]") : null) ?? panel.current.querySelector("[data-question]");
      const input = question === null ? undefined : inputsOf(question)[Number(event.key) - 1];
      if (input === undefined) return;
      event.preventDefault();
      // From here Enter confirms, and arrows go on.
      input.focus();
      input.click();
    };
    document.addEventListener("keydown", act);
    return () => document.removeEventListener("keydown", act);
  }, [panel]);
}

/** Its own, not those of what it asks next. */
export function inputsOf(question: Element): readonly HTMLInputElement[] {
  const inputs = [...question.querySelectorAll<HTMLInputElement>("input[type=radio], input[type=checkbox]")];
  return inputs.filter((input) => input.closest("[data-question]") === question);
}

function isCombined(event: KeyboardEvent): boolean {
  return event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.isComposing;
}
