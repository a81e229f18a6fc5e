// The current session as a person uses it: the composer, the information bar, what is refused, and a lost connection.

import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";

import { answering, asked, FakeSocket, field, open, posts, Script, SESSION, tell, useApp } from "./app";

useApp();
afterEach(() => {
  vi.useRealTimers();
});

const button = (name: string | RegExp) => screen.getByRole("button", { name });
const press = (key: string, more: object = {}) => fireEvent.keyDown(field(), { key, ...more });
const type = (text: string) => fireEvent.change(field(), { target: { value: text } });

test("Enter sends, without waiting for the result, and asks for what is typed", async () => {
  await open();
  type("do it");
  press("Enter");
  await waitFor(() => expect(location.pathname).toBe(`/session/${SESSION}`));
  expect(posts()).toHaveLength(1);
  expect(posts()[0]).toMatchObject({ path: "/api/task?deltas=true", body: { prompt: "do it", wait_s: 0 } });
  expect(field().disabled).toBe(true);
  expect(field().placeholder).toBe("处理中...");
  expect(screen.queryByRole("button", { name: "发送" })).toBeNull();
});

test("Ctrl+Enter breaks the line, and Enter while words are composed does nothing", async () => {
  await open();
  type("one");
  field().setSelectionRange(3, 3);
  press("Enter", { ctrlKey: true });
  expect(field().value).toBe("one\n");
  press("Enter", { isComposing: true });
  expect(posts()).toHaveLength(0);
});

test("an empty prompt is refused under the field without asking the server", async () => {
  await open();
  await userEvent.click(button("发送"));
  expect(screen.getByRole("alert").textContent).toBe("请输入任务描述");
  expect(field().getAttribute("aria-invalid")).toBe("true");
  expect(posts()).toHaveLength(0);
  type("w");
  expect(screen.queryByRole("alert")).toBeNull();
});

test("the prompt is shown when the log has it, not before", async () => {
  await open(`/session/${SESSION}`);
  const s = new Script();
  await tell([s.prompt("from the log")]);
  const log = await screen.findByRole("log");
  expect(within(log).getByText("from the log")).toBeTruthy();
  expect(document.title).toBe("● from the log · Glasshouse");
});

test("a shown session is gone on with: its directory is locked and continuing is off", async () => {
  await open(`/session/${SESSION}`);
  const s = new Script();
  await tell([s.prompt("one"), s.complete()]);
  expect(screen.getByTitle("会话在哪个目录开始，就一直在哪个目录").textContent).toContain("/work/shop");
  expect(screen.getByLabelText<HTMLInputElement>("继续会话").disabled).toBe(true);
  type("two");
  press("Enter");
  await waitFor(() => expect(posts()).toHaveLength(1));
  expect(posts()[0]!.body).toMatchObject({ resume: SESSION });
  expect(posts()[0]!.body).not.toHaveProperty("working_dir");
});

test("Esc stops when it is pressed twice", async () => {
  await open(`/session/${SESSION}`);
  await tell([new Script().prompt("go")]);
  fireEvent.keyDown(document.body, { key: "Escape" });
  expect(asked.some(({ method }) => method === "DELETE")).toBe(false);
  fireEvent.keyDown(document.body, { key: "Escape" });
  await waitFor(() => expect(asked.find(({ method }) => method === "DELETE")?.path).toBe("/api/task/task-1"));
});

test("Ctrl+L goes to a new session, but only clears the view while a task runs", async () => {
  await open(`/session/${SESSION}`);
  const s = new Script();
  await tell([s.prompt("go"), s.text("words that were said")]);
  fireEvent.keyDown(document.body, { key: "l", ctrlKey: true });
  await waitFor(() => expect(screen.queryByText("words that were said")).toBeNull());
  expect(location.pathname).toBe(`/session/${SESSION}`);
  await tell([s.complete()]);
  fireEvent.keyDown(document.body, { key: "l", ctrlKey: true });
  await waitFor(() => expect(location.pathname).toBe("/"));
});

test.each([
  ["working_dir_invalid", "目录不行"],
  ["tools_invalid", "工具不行"],
  ["prompt_too_long", "太长了"],
])("%s is told in its place, and the draft is kept", async (error, message) => {
  answering(({ method }) => (method === "POST" ? { status: 422, body: { error, message } } : undefined));
  await open();
  type("kept words");
  press("Enter");
  expect((await screen.findByRole("alert")).textContent).toBe(message);
  expect(field().value).toBe("kept words");
});

test("too many requests open the only dialog; it counts down, then sends what was kept", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  let full = true;
  const refusal = { status: 429, body: { error: "rate_limited", message: "太频繁了" }, headers: { "retry-after": "30" } };
  answering(({ method }) => (method === "POST" && full ? refusal : undefined));
  await open();
  type("kept words");
  press("Enter");
  const dialog = await screen.findByRole("alertdialog");
  expect(dialog.textContent).toContain("太频繁了");
  expect(dialog.textContent).toContain("30 秒后可以再发");
  const again = within(dialog).getByRole<HTMLButtonElement>("button", { name: "发送" });
  expect(again.disabled).toBe(true);
  act(() => vi.advanceTimersByTime(31_000));
  expect(again.disabled).toBe(false);
  full = false;
  fireEvent.click(again);
  await waitFor(() => expect(location.pathname).toBe(`/session/${SESSION}`));
  expect(posts().at(-1)!.body).toMatchObject({ prompt: "kept words" });
});

test("a request whose answer was lost is repeated as the same task", async () => {
  let lost = true;
  answering(({ method }) => (method === "POST" && lost ? "no answer" : undefined));
  await open();
  type("once only");
  press("Enter");
  expect((await screen.findByRole("alert")).textContent).toContain("连不上服务器");
  lost = false;
  await userEvent.click(button("重试"));
  await waitFor(() => expect(posts()).toHaveLength(2));
  expect(posts()[1]!.body["task_id"]).toBe(posts()[0]!.body["task_id"]);
});

test("a failed task is tried again with its own words, and the draft stays", async () => {
  await open(`/session/${SESSION}`);
  const s = new Script();
  const failed = [s.prompt("what failed"), s.error("it broke"), s.complete("failed")];
  await tell(failed);
  type("the next one");
  await userEvent.click(within(screen.getByRole("log")).getByRole("button", { name: "重试" }));
  await waitFor(() => expect(posts()).toHaveLength(1));
  expect(posts()[0]!.body).toMatchObject({ prompt: "what failed", resume: SESSION });
  s.task = String(posts()[0]!.body["task_id"]);
  await tell([s.prompt("what failed"), s.complete()]);
  await waitFor(() => expect(field().value).toBe("the next one"));
});

test("an interrupted session has one button that goes on", async () => {
  await open(`/session/${SESSION}`);
  const s = new Script();
  await tell([s.prompt("go"), s.complete("interrupted")]);
  await userEvent.click(button("继续此会话"));
  await waitFor(() => expect(posts()).toHaveLength(1));
  expect(posts()[0]!.body).toMatchObject({ resume: SESSION, prompt: "刚才被中断了。看看做到了哪一步，然后继续。" });
});

test("without a server it can be written but not sent, and the strip says since when", async () => {
  await open(`/session/${SESSION}`);
  await tell([new Script().prompt("go")]);
  vi.useFakeTimers();
  await act(async () => {
    FakeSocket.last.lose();
    await vi.advanceTimersByTimeAsync(10);
  });
  expect(screen.getByText("正在重新连接")).toBeTruthy();
  await act(() => vi.advanceTimersByTimeAsync(11_000));
  expect(screen.getByText("连接已断开")).toBeTruthy();
  type("written meanwhile");
  press("Enter");
  expect(field().value).toBe("written meanwhile");
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "发送" }).disabled).toBe(true);
  expect(screen.getByText("连上服务器后才能发送")).toBeTruthy();
  expect(posts()).toHaveLength(0);
});

test("the next task is asked with the tools, the mode and the directory that were chosen", async () => {
  await open();
  await userEvent.click(button(/^工具权限/));
  await userEvent.click(await screen.findByLabelText(/^Bash/));
  await userEvent.keyboard("{Escape}");
  await userEvent.click(screen.getByLabelText("继续会话"));
  await userEvent.click(button(/^工作目录/));
  await userEvent.click(await screen.findByRole("option", { name: "/work/shop" }));
  type("go");
  press("Enter");
  await waitFor(() => expect(posts()).toHaveLength(1));
  expect(posts()[0]!.body).toMatchObject({
    tools: ["Bash"],
    working_dir: "/work/shop",
    continue_conversation: true,
    permission_mode: "default",
  });
});

test("a new session empties the field and no longer continues", async () => {
  await open();
  type("left over");
  await userEvent.click(screen.getByLabelText("继续会话"));
  await userEvent.click(screen.getAllByRole("button", { name: "新会话" }).at(-1)!);
  expect(field().value).toBe("");
  expect(screen.getByLabelText<HTMLInputElement>("继续会话").checked).toBe(false);
});

test("whoever is not signed in is led to sign in, with the way back", async () => {
  await open(`/session/${SESSION}`);
  answering(() => ({ status: 401, body: { error: "unauthorized", message: "no" } }));
  type("go");
  press("Enter");
  await waitFor(() => expect(location.pathname).toBe("/sign-in"));
  expect(new URLSearchParams(location.search).get("next")).toContain(SESSION);
});
