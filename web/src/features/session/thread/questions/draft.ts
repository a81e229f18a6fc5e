// What a person has chosen so far in a panel, and the answer that it makes. Pure.

import type { AskedQuestion } from "@/shared/api/types.gen";

type Plain = Pick<AskedQuestion, "question_id" | "question_text" | "type"> & Partial<AskedQuestion>;
export type FormQuestion = Plain;

/** `chosen` are option ids; `other` the words of the person's own beside them; `text` a text answer. */
export type Choice = {
  readonly chosen: readonly string[];
  readonly other: string | null;
  readonly text: string;
};

export type Choices = ReadonlyMap<string, Choice>;

export const OTHER_LIMIT = 256;
const NOTHING: Choice = { chosen: [], other: null, text: "" };

/** The defaults that a question declares are chosen in advance. */
export function firstChoice(question: FormQuestion): Choice {
  const defaults = (question.options ?? []).filter((option) => option.default).map((option) => option.id);
  return { ...NOTHING, chosen: question.type === "checkbox" ? defaults : defaults.slice(0, 1) };
}

export function choiceOf(choices: Choices, question: FormQuestion): Choice {
  return choices.get(question.question_id) ?? firstChoice(question);
}

/** What the wire takes; undefined while nothing fit is chosen. An optional question takes an empty answer. */
export function answerOf(question: FormQuestion, { chosen, other, text }: Choice): unknown {
  const own = other !== null && other.trim() !== "" ? [{ other }] : [];
  const isOptional = question.required === false;
  switch (question.type) {
    case "text":
      return text.trim() !== "" || isOptional ? text : undefined;
    case "boolean":
      return chosen[0] === undefined ? (isOptional ? "" : undefined) : chosen[0] === "true";
    case "multiple_choice":
      return own[0] ?? chosen[0] ?? (isOptional ? "" : undefined);
    case "checkbox":
      return chosen.length + own.length > 0 || isOptional ? [...chosen, ...own] : undefined;
  }
}

/** The follow-ups that the choice opens, each under its option. */
export function openedBy(question: FormQuestion, { chosen }: Choice): readonly FormQuestion[] {
  const followUps = question.follow_up_questions ?? {};
  return chosen.flatMap((option) => (followUps[option] ?? []) as readonly FormQuestion[]);
}

/** Every question that is asked as things are chosen now, the opened follow-ups below theirs. */
export function askedNow(questions: readonly FormQuestion[], choices: Choices): FormQuestion[] {
  return questions.flatMap((question) => [
    question,
    ...askedNow(openedBy(question, choiceOf(choices, question)), choices),
  ]);
}

export type Filled = { readonly missing: readonly string[]; readonly answers: ReadonlyMap<string, unknown> };

export function filled(questions: readonly FormQuestion[], choices: Choices): Filled {
  const missing: string[] = [];
  const answers = new Map<string, unknown>();
  for (const question of askedNow(questions, choices)) {
    const answer = answerOf(question, choiceOf(choices, question));
    if (answer === undefined) missing.push(question.question_id);
    else answers.set(question.question_id, answer);
  }
  return { missing, answers };
}

/** Whether its time-out answers it, by what it declares: the rule of the server's `default_of`. */
export function settlesItself(question: FormQuestion): boolean {
  const defaults = (question.options ?? []).filter((option) => option.default).map((option) => option.id);
  const declares = question.type === "checkbox" ? defaults.length > 0 : question.type !== "text" && defaults.length === 1;
  if (!declares) return question.required === false;
  return openedBy(question, { ...NOTHING, chosen: defaults }).every(settlesItself);
}

/** Words for each part of an answer that was given: labels, not ids. */
export function wordsOf(question: FormQuestion, answer: unknown): readonly string[] {
  if (Array.isArray(answer)) return answer.flatMap((part) => wordsOf(question, part));
  if (answer == null || answer === "") return [];
  if (typeof answer === "object") return "other" in answer ? [String(answer.other)] : [JSON.stringify(answer)];
  const option = (question.options ?? []).find(({ id }) => id === answer);
  return [option?.label ?? String(answer)];
}
