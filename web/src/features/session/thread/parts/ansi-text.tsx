import { useMemo } from "react";

import { ansiPieces, type AnsiColor, type AnsiPiece } from "@/features/session/thread/parts/ansi";
import { cx } from "@/shared/ui/cx";

const COLORS: Record<AnsiColor, string> = {
  red: "text-(--ansi-red)",
  green: "text-(--ansi-green)",
  yellow: "text-(--ansi-yellow)",
  blue: "text-(--ansi-blue)",
  magenta: "text-(--ansi-magenta)",
  cyan: "text-(--ansi-cyan)",
};
const NAMES_ERROR = /error|exception|fatal|failed|traceback|panic/i;

/** A terminal's output. Where a failed command coloured nothing itself, the lines that name an error are red. */
export function AnsiText({ text, failed = false }: { text: string; failed?: boolean }) {
  const pieces = useMemo(() => ansiPieces(text), [text]);
  const isPlain = pieces.every((piece) => piece.color === null);
  if (failed && isPlain) return <ErrorLines text={pieces.map((piece) => piece.text).join("")} />;
  return pieces.map((piece, place) => {
    const look = lookOf(piece);
    return look === "" ? (
      piece.text
    ) : (
      <span key={place} className={look}>
        {piece.text}
      </span>
    );
  });
}

function lookOf({ color, bold, dim }: AnsiPiece): string {
  return cx(color !== null && COLORS[color], color === null && dim && "text-fg-3", bold && "font-semibold");
}

function ErrorLines({ text }: { text: string }) {
  return text.split(/(?<=\n)/).map((line, place) =>
    NAMES_ERROR.test(line) ? (
      <span key={place} className="text-(--ansi-red)">
        {line}
      </span>
    ) : (
      line
    ),
  );
}
