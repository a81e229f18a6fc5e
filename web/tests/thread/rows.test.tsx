import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";

import type { TaskStatus } from "@/shared/api/types.gen";

import { Script, show, shown, useScreen } from "./screen";

useScreen();

test("a prompt stands below the heading of its round", async () => {
  const s = new Script();
  await show([s.prompt("修一下登录")]);
  expect(screen.getByRole("heading", { level: 2, name: "第 1 轮" })).toBeTruthy();
  expect(screen.getByText("修一下登录")).toBeTruthy();
});

test("a person's words are text, whatever they contain", async () => {
  const s = new Script();
  const { container } = await show([s.prompt("<img src=x onerror=alert(1)> **not bold**")]);
  expect(container.querySelector("img, strong")).toBeNull();
  expect(screen.getByText("<img src=x onerror=alert(1)> **not bold**")).toBeTruthy();
});

test("the agent's text is prose, and shows where it is still being written", async () => {
  const s = new Script();
  const { container, feed } = await show([s.prompt("go")]);
  const block = { message_id: "m", block: 0 };
  await shown(feed, () => feed.live(s.live("text_delta", "It **works", block)));
  expect(container.querySelector(".prose-streaming")?.textContent).toContain("works");
  const { event } = s.text("It **works**", block);
  await shown(feed, () => feed.event(2, event));
  expect(container.querySelector(".prose-streaming")).toBeNull();
  expect(screen.getByText("works").tagName).toBe("STRONG");
});

test("a thought is one line that says how long it took, and opens when it is looked for", async () => {
  const s = new Script();
  await show([s.prompt("go"), s.wait(13).thinking("先看入口。\n\n再看约束。")]);
  const line = screen.getByRole("button", { name: /思考 14 秒/ });
  expect(line.textContent).toContain("先看入口。 再看约束。");
  expect(line.getAttribute("aria-expanded")).toBe("false");
  await userEvent.click(line);
  expect(line.getAttribute("aria-expanded")).toBe("true");
  expect(screen.getByText("再看约束。")).toBeTruthy();
});

test("the first thought of a sub-agent began with its call", async () => {
  const s = new Script();
  await show([s.prompt("go"), s.call("1", "Task"), s.wait(2).thinking("hm", { parent_tool_use_id: "1" })], {
    running: true,
  });
  expect(screen.getByRole("button", { name: /思考 3.0 秒/ })).toBeTruthy();
});

test.each<[TaskStatus, string]>([
  ["completed", "已完成"],
  ["cancelled", "已停止"],
  ["interrupted", "已中断"],
  ["failed", "失败"],
])("a task that ended as %s says so, with what it took", async (status, word) => {
  const s = new Script();
  const facts = { duration_ms: 192_408, cost_usd: 0.214, num_turns: 9, files_changed: ["a.py", "b.py"] };
  await show([
    s.prompt("go"),
    s.call("1", "Bash"),
    s.result("1", ""),
    s.call("2", "Edit"),
    s.result("2", ""),
    s.call("3", "Bash"),
    s.result("3", ""),
    s.complete(status, facts),
  ]);
  const line = screen.getByRole("heading", { level: 3, name: word }).parentElement!;
  expect([...line.querySelectorAll("div")].map((fact) => fact.textContent)).toEqual([
    "耗时3 分 12 秒",
    "费用$0.21",
    "回合9",
    "工具Bash 2 · Edit 1",
    "改动2 个文件",
  ]);
});

test("an error says what happened, and offers to try again while it is the last word", async () => {
  const s = new Script();
  const retry = vi.fn();
  const { tell, change } = await show(
    [s.prompt("go"), s.error("连不上模型", "engine_failed", "stderr line"), s.complete("failed")],
    {
      onRetry: retry,
    },
  );
  expect(screen.getByRole("heading", { level: 3, name: "运行出错" })).toBeTruthy();
  expect(screen.getByText("连不上模型")).toBeTruthy();
  const offers = within(screen.getByRole("log")).getAllByRole("button");
  expect(offers.map((button) => button.textContent)).toEqual(["重试", "详情"]);
  await userEvent.click(screen.getByRole("button", { name: "重试" }));
  expect(retry).toHaveBeenCalledOnce();
  await userEvent.click(screen.getByRole("button", { name: "详情" }));
  expect(screen.getByText("stderr line")).toBeTruthy();
  s.task = "task-2";
  await tell([s.prompt("again")]);
  change({ running: true, onRetry: retry });
  expect(screen.queryByRole("button", { name: "重试" })).toBeNull();
});

test("a notice is one line, and a long one opens", async () => {
  const s = new Script();
  await show([s.prompt("go"), s.info("对话已压缩", { notice: "compact_boundary" }), s.info("first\nsecond", {})]);
  expect(screen.getByText("对话已压缩")).toBeTruthy();
  const long = screen.getByRole("button", { name: "first" });
  await userEvent.click(long);
  expect(within(long.parentElement!).getByText(/second/)).toBeTruthy();
});

test("a call to the model that is tried again is orange, not red", async () => {
  const s = new Script();
  const { container } = await show([s.prompt("go"), s.info("6 秒后重试", { notice: "api_retry" })]);
  expect(container.querySelector(".bg-orange-edge")).not.toBeNull();
  expect(container.querySelector(".bg-red-wash")).toBeNull();
});
