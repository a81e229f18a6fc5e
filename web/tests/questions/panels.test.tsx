// The panels: what they show, and exactly what they send.

import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";

import { useAnswerDrafts } from "@/features/session/thread/questions/drafts";

import { Script, show, useScreen } from "../thread/screen";

useScreen();

const SESSION = "a0000000-0000-4000-8000-000000000001";
const sent: { path: string; body: Record<string, unknown> }[] = [];
let reply: () => Response;

beforeEach(() => {
  sent.length = 0;
  reply = () => Response.json({ success: true, message: "", remaining: [] });
  vi.stubGlobal("fetch", async (path: string, { body }: RequestInit) => {
    sent.push({ path, body: JSON.parse(String(body)) as Record<string, unknown> });
    return reply();
  });
  useAnswerDrafts.setState({ bySession: {} });
  return () => vi.unstubAllGlobals();
});

const button = (name: string | RegExp) => screen.getByRole<HTMLButtonElement>("button", { name });
const panel = (name: string) => screen.getByRole("region", { name });
const option = (id: string, more: object = {}) => ({ id, label: `the ${id}`, ...more });
const OPTIONS = [option("a"), option("b")];
const ONE = { question_id: "1", question_text: "Which one?", options: OPTIONS, allow_other: true };
const MANY = { question_id: "2", question_text: "Which ones?", type: "checkbox", options: OPTIONS };

async function asks(...questions: object[]) {
  const s = new Script();
  return { s, ...(await show([s.prompt("go"), ...questions.map((each) => s.asks({ ...each }))], { running: true })) };
}

const bodyOf = (answer: object) => ({ session_id: SESSION, ...answer });

test("the questions of one asking are answered by one request", async () => {
  await asks(ONE, MANY, { question_id: "3", question_text: "Why?", type: "text" }, { question_id: "4", question_text: "Sure?", type: "boolean" });
  const groups = within(panel("需要你的回答")).getAllByRole("group");
  expect(groups).toHaveLength(4);
  await userEvent.click(within(groups[0]!).getByLabelText("the b"));
  await userEvent.click(within(groups[1]!).getByLabelText("the a"));
  await userEvent.click(within(groups[1]!).getByLabelText("the b"));
  await userEvent.type(within(groups[2]!).getByRole("textbox"), "because");
  await userEvent.click(within(groups[3]!).getByLabelText("否"));
  await userEvent.click(button("确认"));
  expect(sent).toEqual([
    {
      path: "/api/task/answer",
      body: bodyOf({ question_id: "1", answer: "b", answers: { "2": ["a", "b"], "3": "because", "4": false } }),
    },
  ]);
  // Until the event is here, nothing is sent twice.
  expect(button("处理中...").disabled).toBe(true);
});

test("what is missing is told under its question, and nothing is sent", async () => {
  await asks(ONE, MANY);
  await userEvent.click(screen.getAllByLabelText("the a")[0]!);
  await userEvent.click(button("确认"));
  expect(screen.getAllByRole("alert")).toHaveLength(1);
  expect(document.activeElement?.closest("[data-question]")?.getAttribute("data-question")).toBe("2");
  expect(sent).toEqual([]);
  await userEvent.click(screen.getAllByLabelText("the a")[1]!);
  expect(screen.queryByRole("alert")).toBeNull();
});

test("a follow-up opens under its option and goes with its parent", async () => {
  const followUp = { question_id: "1a", question_text: "How far?", type: "text" };
  await asks({ ...ONE, follow_up_questions: { a: [followUp] } });
  expect(screen.queryByText("How far?")).toBeNull();
  await userEvent.click(screen.getByLabelText("the a"));
  await userEvent.type(screen.getByLabelText("How far?", { selector: "textarea" }), "all the way");
  fireEvent.keyDown(screen.getByLabelText("How far?", { selector: "textarea" }), { key: "Enter", ctrlKey: true });
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]?.body).toEqual(bodyOf({ question_id: "1", answer: "a", answers: { "1a": "all the way" } }));
});

test("words of one's own are an answer, in place of the options", async () => {
  await asks(ONE);
  await userEvent.click(screen.getByLabelText("the a"));
  await userEvent.click(screen.getByRole("radio", { name: "其他" }));
  await userEvent.type(screen.getByRole("textbox", { name: "其他" }), "neither");
  await userEvent.click(button("确认"));
  expect(sent[0]?.body).toEqual(bodyOf({ question_id: "1", answer: { other: "neither" }, answers: {} }));
});

test("a default is chosen in advance, and told", async () => {
  await asks({ ...ONE, options: [option("a"), option("b", { default: true })] });
  expect(screen.getByText("默认")).toBeTruthy();
  await userEvent.click(button("确认"));
  expect(sent[0]?.body["answer"]).toBe("b");
});

test("cancelling asks why, and cancels all of an asking at once", async () => {
  await asks(ONE, MANY);
  await userEvent.click(button("取消"));
  expect(sent).toEqual([]);
  await userEvent.type(screen.getByLabelText("取消的原因，可以不填"), "not now");
  await userEvent.click(button("取消问题"));
  expect(sent.map(({ body }) => body)).toEqual([
    bodyOf({ question_id: "1", answer: null, answers: { "2": null }, reason: "not now" }),
  ]);
});

test("an answer that comes too late is told, also when the panel has turned into its line", async () => {
  const { s, tell } = await asks(ONE);
  reply = () => Response.json({ error: "already_answered", message: "该问题已回答或已取消" }, { status: 400 });
  await userEvent.click(screen.getByLabelText("the a"));
  await userEvent.click(button("确认"));
  expect((await screen.findByRole("alert")).textContent).toBe("别处先回答了，你的回答没有采用。");
  await tell([s.changes("1", "answered", { answer: "b", door: "api" })]);
  expect(screen.queryByRole("region")).toBeNull();
  expect(screen.getByText("the b")).toBeTruthy();
  expect(screen.getByText("经 API")).toBeTruthy();
  expect(screen.getByRole("alert").textContent).toBe("别处先回答了，你的回答没有采用。");
});

test("a refusal is told, and what was chosen can be sent again", async () => {
  await asks(ONE);
  reply = () => Response.json({ error: "invalid_answer", message: "答案格式无效：…" }, { status: 400 });
  await userEvent.click(screen.getByLabelText("the a"));
  await userEvent.click(button("确认"));
  expect((await screen.findByRole("alert")).textContent).toBe("答案格式无效：…");
  await userEvent.click(button("确认"));
  expect(sent).toHaveLength(2);
});

test.each([
  [{ answer: { other: "mine" }, door: "cli" }, "mine", "在终端"],
  [{ answer: "a", answered_by: "default", door: null }, "the a", "按默认"],
  [{ state: "cancelled", answered_by: "task_end", door: null }, "已取消", "任务已结束"],
  [{ state: "timeout", answered_by: "nobody", door: null }, "超时未答", "任务没有等它"],
])("what is settled is one line: %j", async (change, words, by) => {
  const { s, tell } = await asks(ONE);
  await tell([s.changes("1", "answered", change)]);
  const line = screen.getByText("Which one?").closest("p")!;
  expect(within(line).getByText(words)).toBeTruthy();
  expect(within(line).getByText(by)).toBeTruthy();
});

const PERMISSION = {
  question_id: "p",
  question_text: "May it?",
  kind: "permission",
  tool_name: "Bash",
  tool_input: { command: "rm -r build" },
  scope: "Bash(rm:*)",
};

test("a permission shows exactly what would run, with nothing chosen, and no key allows it", async () => {
  await asks(PERMISSION);
  expect(screen.getByText("$ rm -r build")).toBeTruthy();
  const asked = panel("请求许可");
  expect(asked.contains(document.activeElement)).toBe(false);
  for (const key of ["Enter", " ", "1", "y"]) fireEvent.keyDown(asked, { key });
  await userEvent.type(screen.getByLabelText(/^附一句话/), "no{Enter}");
  fireEvent.keyDown(screen.getByLabelText(/^附一句话/), { key: "Enter", ctrlKey: true });
  expect(sent).toEqual([]);
});

test.each([
  ["允许一次", "allow"],
  [/^本会话允许/, "allow_session"],
])("a permission is answered by %s", async (name, answer) => {
  await asks(PERMISSION);
  await userEvent.click(button(name));
  expect(sent.map(({ body }) => body)).toEqual([bodyOf({ question_id: "p", answer })]);
});

test("a call is edited before it is allowed, and what is no JSON is told", async () => {
  await asks(PERMISSION);
  await userEvent.click(button("编辑"));
  const edited = screen.getByRole("textbox", { name: "编辑" });
  fireEvent.change(edited, { target: { value: "{" } });
  await userEvent.click(button("允许一次"));
  expect(screen.getByRole("alert").textContent).toBe("不是有效的 JSON");
  expect(sent).toEqual([]);
  fireEvent.change(edited, { target: { value: '{"command": "ls"}' } });
  await userEvent.click(button("允许一次"));
  expect(sent[0]?.body).toEqual(bodyOf({ question_id: "p", answer: "allow", updated_input: { command: "ls" } }));
});

test("what is denied goes without what was edited", async () => {
  await asks(PERMISSION);
  await userEvent.click(button("编辑"));
  fireEvent.change(screen.getByRole("textbox", { name: "编辑" }), { target: { value: "{" } });
  await userEvent.type(screen.getByLabelText(/^附一句话/), "use make clean");
  await userEvent.click(button("拒绝"));
  expect(sent[0]?.body).toEqual(bodyOf({ question_id: "p", answer: "deny", reason: "use make clean" }));
});

test.each([
  ["批准", { answer: "approve" }],
  ["批准，并自动接受编辑", { answer: "approve_accept_edits" }],
  ["继续规划", { answer: "keep_planning", reason: "think of the tests" }],
])("a plan is read as Markdown and answered by %s", async (name, answer) => {
  await asks({ question_id: "plan", question_text: "?", kind: "plan_approval", plan: "1. **First** this" });
  expect(screen.getByText("First").tagName).toBe("STRONG");
  if ("reason" in answer) await userEvent.type(screen.getByLabelText(/^附一句话/), "think of the tests");
  await userEvent.click(button(name));
  expect(sent[0]?.body).toEqual(bodyOf({ question_id: "plan", ...answer }));
});
