// A line's changed words and its colours are cut at different places; drawn together they are cut at both.

import type { Span } from "@/features/session/thread/parts/diff";
import type { Piece } from "@/shared/markdown/highlight";

export type ColoredSpan = Span & { readonly color: string | undefined };

export function coloredSpans(spans: readonly Span[], pieces: readonly Piece[] | undefined): ColoredSpan[] {
  const colors = (pieces ?? []).map(({ text, color }) => ({ length: text.length, color }));
  return spans.flatMap(({ text, changed }) => {
    const cut: ColoredSpan[] = [];
    for (let rest = text; rest !== "";) {
      const next = colors[0];
      const length = next === undefined ? rest.length : Math.min(rest.length, next.length);
      if (length > 0) cut.push({ text: rest.slice(0, length), changed, color: next?.color });
      rest = rest.slice(length);
      if (next !== undefined && (next.length -= length) <= 0) colors.shift();
    }
    return cut;
  });
}
