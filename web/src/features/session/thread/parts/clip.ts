// Long output is cut where it stands; the whole is one click away.

const MOST_LINES = 24;
const MOST_BYTES = 8 * 1024;

export type Clip = { readonly text: string; readonly lines: number; readonly isCut: boolean };

export function clipHead(text: string, mostLines = MOST_LINES): Clip {
  const lines = linesOf(text);
  const shown: string[] = [];
  let size = 0;
  for (const line of lines.slice(0, mostLines)) {
    if (size + line.length > MOST_BYTES) {
      shown.push(line.slice(0, MOST_BYTES - size));
      break;
    }
    shown.push(line);
    size += line.length + 1;
  }
  const head = shown.join("\n");
  return { text: head, lines: lines.length, isCut: head.length < lines.join("\n").length };
}

export function clipTail(text: string, mostLines: number): Clip {
  const lines = linesOf(text);
  const tail = lines.slice(-mostLines).join("\n").slice(-MOST_BYTES);
  return { text: tail, lines: lines.length, isCut: tail.length < lines.join("\n").length };
}

/** For a voice: it is never cut in the page, only by the server, beyond what one event may hold. */
export function uncut(text: string): Clip {
  return { text, lines: 0, isCut: false };
}

export function linesOf(text: string): string[] {
  const lines = text.replace(/\r\n/g, "\n").split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
