import { act, fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import axe from "axe-core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import i18next from "i18next";
import { afterEach, expect, test, vi } from "vitest";

import { Thread } from "@/features/session/thread";
import { SessionFeed } from "@/shared/events/session";
import { usePreferences } from "@/shared/preferences";

import { Script, show, shown, useScreen } from "./screen";

useScreen();
afterEach(async () => {
  vi.useRealTimers();
  usePreferences.setState({ language: "zh" });
  await act(() => i18next.changeLanguage("zh"));
});

function long(s: Script) {
  const rows = [s.prompt("first question"), ...Array.from({ length: 20 }, (_, place) => s.text(`paragraph ${place}`))];
  return [
    ...rows,
    s.call("1", "Bash", { command: "ls" }),
    s.result("1", "a.txt"),
    s.error("it broke"),
    s.complete("failed"),
  ];
}

/** A person turns the wheel of a thread that stood at the end of twice its height. */
function scrollUp(log: HTMLElement) {
  Object.defineProperty(log, "scrollHeight", { configurable: true, value: 2 * log.clientHeight });
  log.scrollTop = log.clientHeight;
  fireEvent.scroll(log);
  fireEvent.wheel(log);
  log.scrollTop = 300;
  fireEvent.scroll(log);
}

test("while the log is on its way there is nothing, then bars, then a word", () => {
  vi.useFakeTimers();
  const feed = new SessionFeed("s");
  const { container } = render(
    <QueryClientProvider client={new QueryClient()}>
      <Thread feed={feed} running={false} />
    </QueryClientProvider>,
  );
  const bars = () => container.querySelectorAll(".bg-hover").length;
  act(() => vi.advanceTimersByTime(100));
  expect(bars()).toBe(0);
  act(() => vi.advanceTimersByTime(100));
  expect(bars()).toBe(3);
  expect(screen.queryByText("加载中…")).toBeNull();
  act(() => vi.advanceTimersByTime(2000));
  expect(screen.getByText("加载中…")).toBeTruthy();
});

test("a log that is read again after a break is not hidden meanwhile", async () => {
  const s = new Script();
  const { feed } = await show([s.prompt("go"), s.text("words")]);
  await shown(feed, () => feed.caughtUp(100));
  expect(feed.isCaughtUp).toBe(false);
  expect(screen.getByText("words")).toBeTruthy();
});

test("a person who scrolls up is told how much came since, and goes back with one click", async () => {
  const s = new Script();
  const { tell } = await show(long(s));
  const log = screen.getByRole("log");
  expect(screen.queryByRole("button", { name: /回到最新/ })).toBeNull();
  scrollUp(log);
  expect(screen.getByRole("button", { name: "回到最新" })).toBeTruthy();
  await tell([s.info("one"), s.info("two")]);
  expect(log.scrollTop).toBe(300);
  await userEvent.click(screen.getByRole("button", { name: "回到最新 (2)" }));
  expect(screen.queryByRole("button", { name: /回到最新/ })).toBeNull();
  expect(log.scrollTop).toBe(log.scrollHeight);
});

test("under the eyes of a person who reads above the tail nothing folds by itself", async () => {
  const s = new Script();
  const { tell } = await show([s.prompt("go"), s.call("1", "Bash", { command: "make" })], { running: true });
  scrollUp(screen.getByRole("log"));
  await tell([s.result("1", "built")]);
  expect(screen.getByRole("button", { name: /Bash/ }).getAttribute("aria-expanded")).toBe("true");
});

test("letters go from message to message and from landmark to landmark", async () => {
  const s = new Script();
  await show(long(s));
  const focused = () => document.activeElement?.textContent ?? "";
  await userEvent.keyboard("j");
  expect(focused()).toContain("first question");
  await userEvent.keyboard("jj");
  expect(focused()).toBe("paragraph 1");
  await userEvent.keyboard("k");
  expect(focused()).toBe("paragraph 0");
  await userEvent.keyboard("n");
  expect(focused()).toContain("it broke");
  await userEvent.keyboard("k");
  await userEvent.keyboard("o");
  expect(screen.getByRole("button", { name: /Bash/ }).getAttribute("aria-expanded")).toBe("true");
  await userEvent.keyboard("p");
  expect(focused()).toContain("first question");
  await userEvent.keyboard("g");
  expect(screen.queryByRole("button", { name: /回到最新/ })).toBeNull();
});

test("in a field, and with Ctrl, letters are not ours", async () => {
  const s = new Script();
  await show(long(s));
  const field = document.body.appendChild(document.createElement("textarea"));
  try {
    field.focus();
    await userEvent.keyboard("jn");
    expect(document.activeElement).toBe(field);
    expect(field.value).toBe("jn");
    field.blur();
    await userEvent.keyboard("{Control>}j{/Control}");
    expect(document.activeElement).toBe(document.body);
  } finally {
    field.remove();
  }
});

test("the ruler goes to what it marks", async () => {
  const s = new Script();
  await show(long(s));
  await userEvent.click(screen.getByRole("button", { name: "错误：it broke" }));
  expect(document.activeElement?.textContent).toContain("it broke");
});

test("what is over is put out of sight when the view is cleared, what goes on stays", async () => {
  const s = new Script();
  const { change, feed, tell } = await show(
    [s.prompt("go"), s.text("old words"), s.call("1", "Bash", { command: "make" })],
    {
      running: true,
    },
  );
  change({ running: true, clearedUpTo: feed.fold.last });
  expect(screen.queryByText("old words")).toBeNull();
  expect(screen.getByRole("button", { name: /Bash/ })).toBeTruthy();
  await tell([s.text("new words")]);
  expect(screen.getByText("new words")).toBeTruthy();
});

test("every word is there in English too", async () => {
  usePreferences.setState({ language: "en" });
  await act(() => i18next.changeLanguage("en"));
  const s = new Script();
  await show([...long(s), s.thinking("hm")]);
  const page = document.body.textContent ?? "";
  expect(page).toContain("Round 1");
  expect(page).toMatch(/Thought/);
  expect(page).not.toMatch(/\p{Script=Han}/u);
});

test("axe finds nothing", async () => {
  const s = new Script();
  const todos = [{ content: "a", status: "pending" }];
  const { container } = await show([
    s.prompt("go"),
    s.thinking("hm"),
    s.call("0", "TodoWrite", { todos }),
    s.call("1", "Task", { subagent_type: "Explore" }),
    s.call("2", "Edit", { file_path: "a", old_string: "a b c", new_string: "a x c" }, { parent_tool_use_id: "1" }),
    s.text("# Title\n\n- [x] a\n\n|a|b|\n|-|-|\n|1|2|\n\n```py\nx = 1\n```\n\n[link](https://a.example)"),
    ...["3", "4", "5"].flatMap((id) => [s.call(id, "Read", { file_path: id }), s.result(id, "1→x")]),
    s.info("notice"),
    s.error("it broke", "engine_failed", "detail"),
    s.complete("failed", { duration_ms: 1, cost_usd: 0.1, num_turns: 2 }),
  ]);
  // Colours need a layout; the design computes their contrast.
  const { violations } = await axe.run(container, {
    rules: { "color-contrast": { enabled: false }, region: { enabled: false } },
  });
  expect(violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)])).toEqual([]);
});

test("a round that is over folds into one line when a newer one is over, and opens again", async () => {
  const s = new Script();
  const first = [s.prompt("first question"), s.call("1", "Bash"), s.result("1", ""), s.text("first answer")];
  const { tell } = await show([...first, s.complete("completed", { duration_ms: 192_408, cost_usd: 0.21 })]);
  s.task = "task-2";
  await tell([s.prompt("second question"), s.text("second answer")]);
  expect(screen.getByText("first answer")).toBeTruthy();
  await tell([s.complete()]);
  expect(screen.queryByText("first answer")).toBeNull();
  expect(screen.getByText("second answer")).toBeTruthy();
  const heading = screen.getByRole("button", { name: /第 1 轮/ });
  expect(heading.textContent).toContain("first question · 1 次工具调用 · 3 分 12 秒 · $0.21");
  await userEvent.click(heading);
  expect(screen.getByText("first answer")).toBeTruthy();
  expect(document.activeElement).toBe(heading);
  await userEvent.click(heading);
  expect(screen.queryByText("first answer")).toBeNull();
});

test("a round that a person reads does not fold under their eyes", async () => {
  const s = new Script();
  const { tell } = await show([s.prompt("first question"), s.text("first answer"), s.complete()]);
  s.task = "task-2";
  await tell([s.prompt("second question")]);
  scrollUp(screen.getByRole("log"));
  await tell([s.complete()]);
  expect(screen.getByText("first answer")).toBeTruthy();
});
