// A terminal's output as coloured pieces. Only colours and weight are understood; every other control is taken away,
// so that a program can neither move nor hide what the page says.

export type AnsiColor = "red" | "green" | "yellow" | "blue" | "magenta" | "cyan";
export type AnsiPiece = {
  readonly text: string;
  readonly color: AnsiColor | null;
  readonly bold: boolean;
  readonly dim: boolean;
};

type Style = Omit<AnsiPiece, "text">;

const PLAIN: Style = { color: null, bold: false, dim: false };
// Black and white are the page's own ink.
const COLORS: readonly (AnsiColor | null)[] = [null, "red", "green", "yellow", "blue", "magenta", "cyan", null];

// oxlint-disable no-control-regex -- control characters are what this is about
const SEQUENCE =
  /\x1b\[([0-9;:]*)m|\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\|$)|\x1b[ -/]*[0-~]?/g;
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;
// oxlint-enable no-control-regex

export function ansiPieces(output: string): AnsiPiece[] {
  const text = output.split("\n").map(lastWritten).join("\n");
  const pieces: AnsiPiece[] = [];
  let style = PLAIN;
  let end = 0;
  const take = (part: string) => {
    const clean = part.replace(CONTROLS, "");
    if (clean !== "") pieces.push({ text: clean, ...style });
  };
  for (const match of text.matchAll(SEQUENCE)) {
    take(text.slice(end, match.index));
    end = match.index + match[0].length;
    if (match[1] !== undefined) style = styled(style, match[1]);
  }
  take(text.slice(end));
  return pieces;
}

/** What a line shows after it was written over from its beginning. */
function lastWritten(line: string): string {
  const written = line.replace(/\r+$/, "");
  return written.slice(written.lastIndexOf("\r") + 1);
}

function styled(style: Style, parameters: string): Style {
  const codes = parameters.split(/[;:]/).map(Number);
  let now = style;
  for (let place = 0; place < codes.length; place += 1) {
    const code = codes[place]!;
    if (code === 38 || code === 48) {
      // A colour of a palette of 256 or more: not one of ours, and its numbers are no codes.
      place += codes[place + 1] === 5 ? 2 : 4;
      if (code === 38) now = { ...now, color: null };
    } else {
      now = afterCode(now, code);
    }
  }
  return now;
}

function afterCode(style: Style, code: number): Style {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 22) return { ...style, bold: false, dim: false };
  if (code === 39) return { ...style, color: null };
  if (code === 90) return { ...style, color: null, dim: true };
  if (code >= 30 && code <= 37) return { ...style, color: COLORS[code - 30] ?? null };
  if (code >= 91 && code <= 97) return { ...style, color: COLORS[code - 90] ?? null };
  return style;
}
