// What a tool was called with, as far as it is known: the whole, or what has been typed of it.

import type { ToolRow } from "@/shared/events/rows";

export type Input = Readonly<Record<string, unknown>>;

export function inputOf(row: ToolRow): Input {
  return row.typed === "" ? row.input : typedInput(row.typed);
}

/** A field's text, or nothing where there is none. */
export function field(input: Input, name: string): string {
  const value = input[name];
  return typeof value === "string" ? value : "";
}

export function list(input: Input, name: string): Input[] {
  const value = input[name];
  return Array.isArray(value) ? value.filter((item): item is Input => typeof item === "object" && item !== null) : [];
}

const FIELD = /"(\w+)"\s*:\s*"((?:[^"\\]|\\.)*)/gs;

/** The text fields of JSON that is still being typed, the last of them as far as it came. */
export function typedInput(typed: string): Input {
  const fields: Record<string, string> = {};
  for (const [, name, escaped] of typed.matchAll(FIELD)) {
    const text = unescaped(escaped!);
    if (text !== null) fields[name!] ??= text;
  }
  return fields;
}

function unescaped(text: string): string | null {
  // An escape may have been cut in its middle.
  const whole = text.replace(/\\u[0-9a-fA-F]{0,3}$/, "");
  try {
    return JSON.parse(`"${whole.replace(/[\n\r\t]/g, " ")}"`) as string;
  } catch {
    return null;
  }
}
