// What a question is about, in one line.

import type { TFunction } from "i18next";

import type { AskedQuestion } from "@/shared/api/types.gen";
import type { AskingRow } from "@/shared/events/rows";

export function subjectOf({ kind, tool_name, tool_input, question_text, directory }: AskedQuestion, t: TFunction): string {
  if (kind === "trust" && directory != null) return t("trust_of", { directory });
  if (kind !== "permission") return question_text;
  return `${tool_name ?? ""} ${argumentOf(tool_input)}`.trim() || question_text;
}

/** Of what still waits, if something does. */
export function subjectOfAsking({ asked }: AskingRow, t: TFunction): string {
  const first = asked.find(({ state }) => state === "pending") ?? asked[0];
  return first === undefined ? "" : subjectOf(first.question, t);
}

function argumentOf(input: Readonly<Record<string, unknown>> | null | undefined): string {
  const names = ["command", "file_path", "notebook_path", "url", "pattern", "query"];
  const found = names.map((name) => input?.[name]).find((value) => typeof value === "string" && value !== "");
  return typeof found === "string" ? (found.split("\n", 1)[0] ?? "") : "";
}
