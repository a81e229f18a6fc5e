// What a person has chosen, and the answer that it makes.

import { expect, test } from "vitest";

import {
  answerOf,
  askedNow,
  filled,
  firstChoice,
  wordsOf,
  type Choice,
  type FormQuestion,
} from "@/features/session/thread/questions/draft";

const option = (id: string, isDefault = false) => ({ id, label: id.toUpperCase(), default: isDefault });
const question = (type: FormQuestion["type"], more: Partial<FormQuestion> = {}): FormQuestion => ({
  question_id: "q",
  question_text: "?",
  type,
  options: type === "multiple_choice" || type === "checkbox" ? [option("a"), option("b")] : [],
  ...more,
});
const choice = (more: Partial<Choice> = {}): Choice => ({ chosen: [], other: null, text: "", ...more });

test.each([
  ["multiple_choice", choice({ chosen: ["b"] }), "b"],
  ["multiple_choice", choice({ other: "mine" }), { other: "mine" }],
  ["checkbox", choice({ chosen: ["a", "b"] }), ["a", "b"]],
  ["checkbox", choice({ chosen: ["a"], other: "mine" }), ["a", { other: "mine" }]],
  ["boolean", choice({ chosen: ["true"] }), true],
  ["boolean", choice({ chosen: ["false"] }), false],
  ["text", choice({ text: "one\ntwo" }), "one\ntwo"],
] as const)("of %s the answer is what was chosen", (type, chosen, answer) => {
  expect(answerOf(question(type), chosen)).toEqual(answer);
});

test.each([
  ["multiple_choice", ""],
  ["checkbox", []],
  ["boolean", ""],
  ["text", ""],
] as const)("without a choice %s is not answered, or empty if it is optional", (type, empty) => {
  expect(answerOf(question(type), choice())).toBeUndefined();
  expect(answerOf(question(type, { required: false }), choice())).toEqual(empty);
});

test("words of one's own that are blank are no answer", () => {
  expect(answerOf(question("multiple_choice"), choice({ other: "  " }))).toBeUndefined();
  expect(answerOf(question("checkbox"), choice({ other: "" }))).toBeUndefined();
  expect(answerOf(question("text"), choice({ text: " \n" }))).toBeUndefined();
});

test("declared defaults are chosen in advance, of one choice only the first", () => {
  const options = [option("a", true), option("b"), option("c", true)];
  expect(firstChoice(question("checkbox", { options })).chosen).toEqual(["a", "c"]);
  expect(firstChoice(question("multiple_choice", { options })).chosen).toEqual(["a"]);
  expect(firstChoice(question("multiple_choice")).chosen).toEqual([]);
});

const nested = question("multiple_choice", {
  follow_up_questions: {
    a: [
      {
        ...question("boolean", { question_id: "why" }),
        follow_up_questions: { true: [question("text", { question_id: "how" })] },
      },
    ],
  } as unknown as NonNullable<FormQuestion["follow_up_questions"]>,
});

test("a chosen option opens its follow-ups, and another closes them with theirs", () => {
  const ids = (choices: Record<string, Choice>) =>
    askedNow([nested], new Map(Object.entries(choices))).map(({ question_id }) => question_id);
  expect(ids({})).toEqual(["q"]);
  expect(ids({ q: choice({ chosen: ["a"] }) })).toEqual(["q", "why"]);
  expect(ids({ q: choice({ chosen: ["a"] }), why: choice({ chosen: ["true"] }) })).toEqual(["q", "why", "how"]);
  expect(ids({ q: choice({ chosen: ["b"] }), why: choice({ chosen: ["true"] }) })).toEqual(["q"]);
});

test("what is missing is told of every question that is asked now, and a closed one is not sent", () => {
  const open = new Map([
    ["q", choice({ chosen: ["a"] })],
    ["why", choice({ chosen: ["true"] })],
  ]);
  expect(filled([nested], open).missing).toEqual(["how"]);
  const closed = filled([nested], new Map([...open, ["q", choice({ chosen: ["b"] })]]));
  expect(closed.missing).toEqual([]);
  expect([...closed.answers]).toEqual([["q", "b"]]);
});

test("an answer is told in labels, and a person's own words as they are", () => {
  expect(wordsOf(question("checkbox"), ["a", { other: "mine" }])).toEqual(["A", "mine"]);
  expect(wordsOf(question("multiple_choice"), "b")).toEqual(["B"]);
  expect(wordsOf(question("text"), "")).toEqual([]);
});
