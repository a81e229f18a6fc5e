// What a tool gave back, read as far as it says more than text.

const EXIT_CODE = /^Exit code (-?\d+)\n?/;
const TOOL_ERROR = /^<tool_use_error>([\s\S]*?)<\/tool_use_error>\s*$/;
const NUMBERED = /^\s*(\d+)[→\t](.*)$/;
const HIT = /^(.+?):(\d+):(.*)$/;

/** A command's output, and the code with which it ended where the result says so. */
export function commandOutput(result: string): { output: string; exitCode: number | null } {
  const match = EXIT_CODE.exec(result);
  return match === null
    ? { output: errorText(result), exitCode: null }
    : { output: result.slice(match[0].length), exitCode: Number(match[1]) };
}

export function errorText(result: string): string {
  return TOOL_ERROR.exec(result)?.[1] ?? result;
}

export type NumberedLine = { readonly number: string; readonly text: string };

export function numberedLines(lines: readonly string[]): NumberedLine[] {
  return lines.map((line) => {
    const match = NUMBERED.exec(line);
    return match === null ? { number: "", text: line } : { number: match[1]!, text: match[2]! };
  });
}

export type Hits = { readonly file: string; readonly lines: readonly NumberedLine[] };

/** Found lines, by the file that they are in; a result that lists files only has files without lines. */
export function hitsByFile(lines: readonly string[]): Hits[] {
  const files = new Map<string, NumberedLine[]>();
  for (const line of lines) {
    if (line.trim() === "" || line === "--" || /^(Found \d+ |No (files|matches) found)/.test(line)) continue;
    const match = HIT.exec(line);
    const file = match?.[1] ?? line;
    const found = files.get(file) ?? [];
    if (match !== null) found.push({ number: match[2]!, text: match[3]! });
    files.set(file, found);
  }
  return [...files].map(([file, found]) => ({ file, lines: found }));
}

export type WebPage = { readonly title: string; readonly url: string };

/** The pages that a web search found: Claude Code writes them as JSON in a line of its own. */
export function webPages(result: string): WebPage[] {
  const json = /^Links: (\[.*\])$/m.exec(result)?.[1];
  if (json === undefined) return [];
  try {
    const pages = JSON.parse(json) as unknown;
    return Array.isArray(pages) ? pages.filter(isPage) : [];
  } catch {
    return [];
  }
}

function isPage(value: unknown): value is WebPage {
  const page = value as Partial<WebPage> | null;
  return typeof page?.title === "string" && typeof page.url === "string";
}
