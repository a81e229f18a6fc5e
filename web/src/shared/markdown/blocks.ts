// A text as its blocks: while it streams, only the last of them changes, and only that one is drawn again.

import { lexer } from "marked";

export function blocks(text: string): string[] {
  return lexer(text, { gfm: true })
    .filter((token) => token.type !== "space")
    .map((token) => token.raw);
}
