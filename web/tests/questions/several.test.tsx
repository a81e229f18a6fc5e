// Several that wait, rounds before, the time that is left, digits, and what MCP servers ask.

import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";

import { useAnswerDrafts } from "@/features/session/thread/questions/drafts";
import type { QuestionReport } from "@/shared/api/types.gen";
import { useAsked } from "@/shared/events/asked";

import { Script, show, useScreen } from "../thread/screen";

useScreen();

const SESSION = "a0000000-0000-4000-8000-000000000001";
const sent: Record<string, unknown>[] = [];

beforeEach(() => {
  sent.length = 0;
  vi.stubGlobal("fetch", async (_path: string, { body }: RequestInit) => {
    sent.push(JSON.parse(String(body)) as Record<string, unknown>);
    return Response.json({ success: true, message: "", remaining: [] });
  });
  useAnswerDrafts.setState({ bySession: {} });
  useAsked.setState({ waiting: new Map() });
  return () => vi.unstubAllGlobals();
});

const button = (name: string | RegExp) => screen.getByRole<HTMLButtonElement>("button", { name });
const panel = () => screen.getByRole("region");
const option = (id: string, more: object = {}) => ({ id, label: `the ${id}`, ...more });
const choice = (id: string, text: string, more: object = {}) => ({
  question_id: id,
  question_text: text,
  options: [option("a"), option("b")],
  ...more,
});
const permission = (id: string, command: string, more: object = {}) => ({
  question_id: id,
  question_text: "May it?",
  kind: "permission",
  tool_name: "Bash",
  tool_input: { command },
  scope: `Bash(${command.split(" ")[0]}:*)`,
  ...more,
});

async function asks(...questions: { question_id: string }[]) {
  const s = new Script();
  const events = [s.prompt("go"), ...questions.map((each) => s.asks({ ...each }, each.question_id))];
  return { s, ...(await show(events, { running: true })) };
}

/** As the server tells of it beside the session's events. */
const told = (question_id: string, due_in_s: number | null) =>
  act(() =>
    useAsked.getState().put({ question_id, session_id: SESSION, state: "pending", due_in_s } as unknown as QuestionReport),
  );

/** Longer than what was meant for another field takes to come. */
const awake = () => vi.spyOn(performance, "now").mockReturnValue(-1000);

test("one panel is open at a time, in the order of asking, and any other is a click away", async () => {
  const { s, tell } = await asks(choice("1", "First?"), choice("2", "Second?"), choice("3", "Third?"));
  expect(within(panel()).getByRole("heading", { name: "First?" })).toBeTruthy();
  expect(screen.getAllByRole("button", { name: "现在回答" })).toHaveLength(2);
  const list = within(screen.getByRole("navigation", { name: "3 项等你处理" }));
  expect(list.getByRole("button", { current: "step" }).textContent).toBe("First?");
  await userEvent.click(list.getByRole("button", { name: "Third?" }));
  expect(within(panel()).getByRole("heading", { name: "Third?" })).toBeTruthy();
  await tell([s.changes("3", "answered", { answer: "a" })]);
  expect(within(panel()).getByRole("heading", { name: "First?" })).toBeTruthy();
  await tell([s.changes("1", "answered", { answer: "a" }), s.changes("2", "cancelled", { door: "cli" })]);
  expect(screen.queryByRole("region")).toBeNull();
  expect(screen.getByText("在终端")).toBeTruthy();
});

test("the rounds before are folded above, with what there was to choose from", async () => {
  const { s, tell } = await asks(choice("1", "First?", { round: 1 }));
  expect(screen.getByText("问答第 1 轮")).toBeTruthy();
  await tell([s.changes("1", "answered", { answer: "b" }), s.asks(choice("2", "Second?", { round: 2 }), "2")]);
  const earlier = within(panel().querySelector("details")!);
  expect(earlier.getByText("问答第 1 轮")).toBeTruthy();
  expect(earlier.getAllByRole("listitem").map((each) => each.textContent)).toEqual(["○ the a", "● the b（已选）"]);
  expect(within(panel()).getByText("问答第 2 轮")).toBeTruthy();
  await tell([s.asks(choice("3", "Third?", { round: 3 }), "3")]);
  expect(within(panel()).getByText("问答第 2 轮 / 共 3 轮")).toBeTruthy();
  expect(within(panel()).getByRole("img", { name: "已答 1 轮" })).toBeTruthy();
});

test.each([
  ["task-1", {}, "10:… 后任务结束"],
  ["task-1", { required: false }, "10:… 后按默认继续"],
  ["task-1", { options: [option("a", { default: true }), option("b")] }, "10:… 后按默认继续"],
  [null, {}, "10:… 后不再等"],
])("the time that is left says what comes then: %j %j", async (task_id, more, words) => {
  const s = new Script();
  await show([s.prompt("go"), s.asks(choice("1", "First?", more), "1", { task_id })], { running: true });
  expect(screen.queryByRole("timer")).toBeNull();
  told("1", 630);
  expect(screen.getByRole("timer").textContent?.replace(/^10:\d\d/, "10:…")).toBe(words);
});

test("what waits for ever says so", async () => {
  await asks(permission("p", "ls"));
  told("p", null);
  expect(within(panel()).getByText(/^已等 .*，不会超时$/)).toBeTruthy();
});

test("digits choose, Enter goes on to what is not answered, and from the last it confirms", async () => {
  awake();
  const s = new Script();
  await show([s.prompt("go"), s.asks(choice("1", "First?")), s.asks(choice("2", "Second?"))], { running: true });
  vi.restoreAllMocks();
  fireEvent.keyDown(document.body, { key: "2" });
  const groups = () => within(panel()).getAllByRole("group");
  expect(within(groups()[0]!).getByLabelText<HTMLInputElement>("the b").checked).toBe(true);
  fireEvent.keyDown(document.activeElement!, { key: "Enter" });
  expect(sent).toEqual([]);
  expect(screen.queryByRole("alert")).toBeNull();
  expect(groups()[1]!.contains(document.activeElement)).toBe(true);
  fireEvent.keyDown(document.activeElement!, { key: "1" });
  fireEvent.keyDown(document.activeElement!, { key: "Enter" });
  await waitFor(() => expect(sent).toEqual([{ session_id: SESSION, question_id: "1", answer: "b", answers: { "2": "a" } }]));
});

test("a digit in a field is text, and one that was under way when the panel came chooses nothing", async () => {
  await asks(choice("1", "First?", { allow_other: true }));
  fireEvent.keyDown(document.body, { key: "1" });
  expect(panel().querySelector(":checked")).toBeNull();
  await userEvent.click(screen.getByRole("radio", { name: "其他" }));
  await userEvent.type(screen.getByRole("textbox", { name: "其他" }), "12");
  expect(screen.getByRole<HTMLInputElement>("textbox", { name: "其他" }).value).toBe("12");
});

test("Esc in a panel leaves a field and is no first half of stopping", async () => {
  await asks(choice("1", "First?"));
  await userEvent.click(button("取消"));
  const field = screen.getByLabelText("取消的原因，可以不填");
  expect(fireEvent.keyDown(field, { key: "Escape" })).toBe(false);
  expect(screen.queryByLabelText("取消的原因，可以不填")).toBeNull();
  expect(sent).toEqual([]);
});

test("permissions that are alike are answered together, each under its own rule", async () => {
  const others = [permission("2", "rm -r dist"), permission("3", "mv a b"), permission("w", "x", { tool_name: "Web", scope: null })];
  await asks(permission("1", "rm -r build"), ...others);
  const alike = within(screen.getByRole("list", { name: "其余的内容" }));
  expect(alike.getAllByRole("listitem").map((each) => each.textContent)).toEqual(["$ rm -r dist", "$ mv a b"]);
  await userEvent.click(screen.getByRole("checkbox", { name: "其余 2 个同样处理" }));
  await userEvent.click(button(/^本会话允许/));
  expect(sent).toEqual([
    { session_id: SESSION, question_id: "1", answer: "allow_session" },
    { session_id: SESSION, question_id: "2", answer: "allow_session" },
    { session_id: SESSION, question_id: "3", answer: "allow" },
  ]);
});

test("what comes after it was ticked is asked by itself", async () => {
  const { s, tell } = await asks(permission("1", "rm a"), permission("2", "rm b"));
  await userEvent.click(screen.getByRole("checkbox", { name: "其余 1 个同样处理" }));
  await tell([s.asks(permission("3", "rm -r /"), "3")]);
  expect(screen.queryByText("$ rm -r /")).toBeNull();
  await userEvent.click(button("允许一次"));
  expect(sent.map(({ question_id }) => question_id)).toEqual(["1", "2"]);
});

test("each permission is answered alone where nothing is ticked", async () => {
  await asks(permission("1", "rm a"), permission("2", "rm b"));
  await userEvent.click(button("拒绝"));
  expect(sent.map(({ question_id }) => question_id)).toEqual(["1"]);
});

const AGREE = [{ id: "accept", label: "同意" }, { id: "decline", label: "拒绝" }];
const elicitation = (more: object) => ({
  question_id: "e",
  question_text: "MCP 服务器 docs：sign in",
  kind: "elicitation",
  mcp_server: "docs",
  message: "sign in",
  options: AGREE,
  ...more,
});

test.each([
  ["https://example.com:8443/a?b=c", "https://example.com:8443/a?b=c", "example.com:8443"],
  ["https://bank.com@evil.example/x", "https://bank.com@evil.example/x", "evil.example"],
  ["https://аpple.com/", "https://xn--pple-43d.com/", "xn--pple-43d.com"],
])("the page that a server names is shown whole, with where it leads: %s", async (url, shown, host) => {
  await asks(elicitation({ url }));
  const asked = within(screen.getByRole("region", { name: "MCP 服务器想知道" }));
  expect(asked.getByText("docs")).toBeTruthy();
  expect(asked.getByText("sign in")).toBeTruthy();
  expect(asked.getByText(host, { selector: "b" }).closest("p")!.textContent).toBe(shown);
  const link = asked.getByRole<HTMLAnchorElement>("link", { name: `打开 ${host}` });
  expect([link.getAttribute("href"), link.target, link.rel]).toEqual([shown, "_blank", "noopener noreferrer"]);
  for (const key of ["Enter", "1", "y"]) fireEvent.keyDown(panel(), { key });
  expect(sent).toEqual([]);
  await userEvent.click(button("同意"));
  expect(sent).toEqual([{ session_id: SESSION, question_id: "e", answer: "accept" }]);
});

test.each(["javascript:alert(1)", "file:///etc/passwd", "mailto:a@b.c", "/relative", "no address"])(
  "what is no web page is shown and not opened: %s",
  async (url) => {
    await asks(elicitation({ url }));
    expect(screen.getByText(url)).toBeTruthy();
    expect(screen.queryByRole("link")).toBeNull();
    await userEvent.click(button("拒绝"));
    expect(sent[0]?.["answer"]).toBe("decline");
  },
);

test("a server's form is questions under its own words", async () => {
  const form = { kind: "elicitation", mcp_server: "docs", message: "who are you?" };
  const s = new Script();
  await show([s.prompt("go"), s.asks(choice("1", "Team", form)), s.asks({ ...choice("2", "Name", form), type: "text" })], { running: true });
  const asked = within(screen.getByRole("region", { name: "MCP 服务器想知道" }));
  expect(asked.getByText("who are you?")).toBeTruthy();
  expect(asked.getAllByRole("group")).toHaveLength(2);
});

test("a program's question says that it is one, and is seen in a round that is folded", async () => {
  const s = new Script();
  const first = [s.prompt("one"), s.asks(choice("1", "Deploy?"), "1", { task_id: null }), s.complete()];
  s.task = "task-2";
  const second = [s.prompt("two"), s.complete()];
  s.task = "task-3";
  await show([...first, ...second, s.prompt("three"), s.complete()]);
  expect(within(panel()).getByText("由程序提问")).toBeTruthy();
});
