import { expect, test } from "vitest";

import { ansiPieces } from "@/features/session/thread/parts/ansi";
import { clipHead, clipTail } from "@/features/session/thread/parts/clip";
import { coloredSpans } from "@/features/session/thread/parts/colored-spans";
import { diffOf, type Diff } from "@/features/session/thread/parts/diff";
import { typedInput } from "@/features/session/thread/tools/input";
import { commandOutput, hitsByFile, numberedLines, webPages } from "@/features/session/thread/tools/result";

const ESC = "\u001b";

function drawn(diff: Diff): string[] {
  return diff.lines.map((line) => {
    if (line.kind === "gap") return `… ${line.lines}`;
    const sign = { same: " ", added: "+", removed: "-" }[line.kind];
    return sign + line.spans.map(({ text, changed }) => (changed ? `[${text}]` : text)).join("");
  });
}

test("a changed line shows which of its words changed", () => {
  expect(drawn(diffOf("keep\nconst a = old(1);\n", "keep\nconst a = fresh(1);\n"))).toEqual([
    " keep",
    "-const a = [old](1);",
    "+const a = [fresh](1);",
  ]);
});

test("Chinese is compared by characters", () => {
  expect(drawn(diffOf("重复回调，忽略它", "重复回调，记下它"))).toEqual(["-重复回调，[忽略]它", "+重复回调，[记下]它"]);
});

test("lines that have little in common are two lines", () => {
  expect(drawn(diffOf("alpha beta", "return 42"))).toEqual(["-alpha beta", "+return 42"]);
});

test("three lines of context stay, the rest is said in a number", () => {
  const lines = Array.from({ length: 20 }, (_, place) => `line ${place}`);
  const changed = lines.with(10, "something else entirely");
  const diff = diffOf(lines.join("\n"), changed.join("\n"));
  expect(drawn(diff)).toEqual([
    "… 7",
    ...[7, 8, 9].map((place) => ` line ${place}`),
    "-line 10",
    "+something else entirely",
    ...[11, 12, 13].map((place) => ` line ${place}`),
    "… 6",
  ]);
  expect([diff.added, diff.removed]).toEqual([1, 1]);
});

test("a new text is all added, an emptied one all removed, an equal one a gap", () => {
  expect(drawn(diffOf("", "a\nb\n"))).toEqual(["+a", "+b"]);
  expect(drawn(diffOf("a\n", ""))).toEqual(["-a"]);
  expect(drawn(diffOf("a", "a"))).toEqual(["… 1"]);
});

test("texts that are too long to compare count as changed", () => {
  const many = (word: string) => Array.from({ length: 1500 }, (_, place) => `${word} ${place}`).join("\n");
  expect(diffOf(many("a"), many("b"))).toMatchObject({ added: 1500, removed: 1500 });
});

test("colours and weight of a terminal are understood", () => {
  expect(ansiPieces(`a ${ESC}[1;31mred${ESC}[0m b${ESC}[92mbright${ESC}[39m`)).toEqual([
    { text: "a ", color: null, bold: false, dim: false },
    { text: "red", color: "red", bold: true, dim: false },
    { text: " b", color: null, bold: false, dim: false },
    { text: "bright", color: "green", bold: false, dim: false },
  ]);
});

test("numbers of a larger palette are not taken for codes", () => {
  expect(ansiPieces(`${ESC}[38;5;31mx${ESC}[38;2;1;31;4my`).map(({ color, bold }) => [color, bold])).toEqual([
    [null, false],
    [null, false],
  ]);
});

// faults: C5
test("what moves, hides, renames or links in a terminal is taken away", () => {
  const hostile = [
    `${ESC}[2J`,
    `${ESC}[10;10H`,
    `${ESC}]0;title\u0007`,
    `${ESC}]8;;javascript:alert(1)${ESC}\\`,
    `${ESC}[?25l`,
    `${ESC}(B`,
    `${ESC}c`,
    "\u0008\u0007\u0000",
    `${ESC}P1;2q${ESC}\\`,
  ];
  const text = ansiPieces(hostile.map((sequence) => `${sequence}x`).join("")).map((piece) => piece.text);
  expect(text.join("")).toBe("x".repeat(hostile.length));
});

test("a line that was written over shows what was written last", () => {
  expect(ansiPieces("10%\r50%\r100%\ndone\r\n").map(({ text }) => text)).toEqual(["100%\ndone\n"]);
});

test("long output is cut by lines or by size, whichever comes first", () => {
  const lines = Array.from({ length: 214 }, (_, place) => `line ${place}`).join("\n");
  expect(clipHead(lines)).toMatchObject({ lines: 214, isCut: true });
  expect(clipHead(lines).text.split("\n")).toHaveLength(24);
  expect(clipTail(lines, 12).text.split("\n").at(-1)).toBe("line 213");
  expect(clipHead("x".repeat(9000))).toMatchObject({ lines: 1, isCut: true, text: "x".repeat(8192) });
  expect(clipHead("a\nb\n")).toEqual({ text: "a\nb", lines: 2, isCut: false });
});

test("of an input that is being typed its texts are known as far as they came", () => {
  expect(typedInput('{"file_path": "/a/b.py", "content": "x = \\"1\\"\\ny')).toEqual({
    file_path: "/a/b.py",
    content: 'x = "1"\ny',
  });
  expect(typedInput('{"a": "half an escape \\')).toEqual({ a: "half an escape " });
  expect(typedInput('{"a": "\\u4f')).toEqual({ a: "" });
  expect(typedInput('{"todos": [')).toEqual({});
});

test("results are read as far as they say more than text", () => {
  expect(commandOutput("Exit code 2\nls: no")).toEqual({ output: "ls: no", exitCode: 2 });
  expect(commandOutput("fine")).toEqual({ output: "fine", exitCode: null });
  expect(commandOutput("<tool_use_error>not read yet</tool_use_error>").output).toBe("not read yet");
  expect(numberedLines(["     7→\tx", "note"])).toEqual([
    { number: "7", text: "\tx" },
    { number: "", text: "note" },
  ]);
  expect(hitsByFile(["Found 2 files", "a.py:3:x", "a.py:9:y", "b.py"])).toEqual([
    {
      file: "a.py",
      lines: [
        { number: "3", text: "x" },
        { number: "9", text: "y" },
      ],
    },
    { file: "b.py", lines: [] },
  ]);
  expect(webPages('Links: [{"title":"T","url":"https://a.example/"},{"no":1}]')).toEqual([
    { title: "T", url: "https://a.example/" },
  ]);
  expect(webPages("Links: [broken]")).toEqual([]);
});

test("colours and changed words of a line are drawn together", () => {
  const spans = [
    { text: "let ab", changed: false },
    { text: "cd", changed: true },
    { text: ";", changed: false },
  ];
  const pieces = [
    { text: "let", color: "k" },
    { text: " ", color: undefined },
    { text: "abcd;", color: "v" },
  ];
  expect(coloredSpans(spans, pieces).map(({ text, changed, color }) => [text, changed, color])).toEqual([
    ["let", false, "k"],
    [" ", false, undefined],
    ["ab", false, "v"],
    ["cd", true, "v"],
    [";", false, "v"],
  ]);
  expect(coloredSpans(spans, undefined).map(({ text }) => text)).toEqual(["let ab", "cd", ";"]);
});
