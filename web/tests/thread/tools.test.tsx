import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";

import { Script, show, shown, useScreen } from "./screen";

useScreen();
afterEach(() => {
  vi.unstubAllGlobals();
});

const card = (name: RegExp) => screen.getByRole("button", { name });
const isOpen = (name: RegExp) => card(name).getAttribute("aria-expanded") === "true";

test("a command is open while it runs, folds when it is done, and says how long it took", async () => {
  const s = new Script();
  const { tell, container } = await show([s.prompt("go"), s.call("1", "Bash", { command: "make test" })], {
    running: true,
  });
  expect(isOpen(/Bash/)).toBe(true);
  expect(container.querySelector(".caret")).not.toBeNull();
  expect(card(/Bash/).textContent).toContain("运行中");
  await tell([s.wait(5).result("1", "35 passed")]);
  expect(isOpen(/Bash/)).toBe(false);
  expect(card(/Bash/).textContent).toContain("6.0 秒");
  expect(screen.getByRole("img", { name: "已完成" })).toBeTruthy();
});

test("without a connection nothing moves that may have ended", async () => {
  const s = new Script();
  const { container } = await show([s.prompt("go"), s.call("1", "Bash", { command: "make test" })], { running: false });
  expect(container.querySelector(".animate-breathe, .caret")).toBeNull();
});

test("a failed command opens itself and shows its exit code", async () => {
  const s = new Script();
  await show([
    s.prompt("go"),
    s.call("1", "Bash", { command: "alembic upgrade head" }),
    s.result("1", "Exit code 3\nINFO running\nIntegrityError: duplicate", { is_error: true }),
  ]);
  expect(isOpen(/Bash/)).toBe(true);
  expect(screen.getByText("退出码 3")).toBeTruthy();
  expect(screen.getByText(/IntegrityError/).className).toContain("ansi-red");
  expect(screen.queryByText(/Exit code/)).toBeNull();
});

test("a command whose end nobody saw is unknown, not done", async () => {
  const s = new Script();
  await show([s.prompt("go"), s.call("1", "Bash", { command: "docker compose up -d" }), s.complete("interrupted")]);
  expect(card(/Bash/).textContent).toContain("结果未知");
  expect(screen.queryByRole("img", { name: "已完成" })).toBeNull();
});

test("long output is cut, and shown whole on demand", async () => {
  const s = new Script();
  const output = Array.from({ length: 214 }, (_, place) => `row-${place}`).join("\n");
  await show([s.prompt("go"), s.call("1", "Bash", { command: "seq 214" }), s.result("1", output)]);
  await userEvent.click(card(/Bash/));
  expect(screen.getByText("共 214 行")).toBeTruthy();
  expect(screen.queryByText(/row-213/)).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "显示全部" }));
  expect(screen.getByText(/row-213/)).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "收起" }));
  expect(screen.queryByText(/row-213/)).toBeNull();
});

test("what the server cut is fetched when it is asked for", async () => {
  const fetched = vi.fn((_path: string) => Promise.resolve(new Response("the whole of it")));
  vi.stubGlobal("fetch", fetched);
  const s = new Script();
  const sha256 = "a".repeat(64);
  await show([
    s.prompt("go"),
    s.call("1", "Bash", { command: "cat big" }),
    s.result("1", "the whole", { truncated: { "/content": { bytes: 200_000, sha256 } } }),
  ]);
  await userEvent.click(card(/Bash/));
  expect(screen.getByText("共 195.3 KB")).toBeTruthy();
  expect(fetched).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole("button", { name: "显示全部" }));
  await waitFor(() => expect(screen.getByText(/the whole of it/)).toBeTruthy());
  expect(fetched.mock.calls[0]?.[0]).toBe(`/api/blobs/${sha256}`);
});

test("a change is open: its words marked, its lines counted, its path as the project says it", async () => {
  const s = new Script();
  const { container } = await show([
    s.prompt("go"),
    s.call("1", "Edit", {
      file_path: "/work/shop/app/pay.py",
      old_string: "a = old(1)",
      new_string: "a = fresh(1)\nb = 2",
    }),
    s.result("1", "ok"),
  ]);
  expect(isOpen(/Edit/)).toBe(true);
  expect(card(/Edit/).textContent).toContain("app/pay.py");
  expect(card(/Edit/).textContent).not.toContain("/work/shop");
  expect(card(/Edit/).textContent).toContain("+2");
  expect(card(/Edit/).textContent).toContain("−1");
  expect([...container.querySelectorAll("mark")].map((mark) => mark.textContent)).toEqual(["old", "fresh"]);
});

test("several edits of one file are one card", async () => {
  const s = new Script();
  const edits = [
    { old_string: "a", new_string: "b" },
    { old_string: "c", new_string: "" },
  ];
  await show([s.prompt("go"), s.call("1", "MultiEdit", { file_path: "x.py", edits }), s.result("1", "ok")]);
  expect(card(/MultiEdit/).textContent).toContain("+1");
  expect(card(/MultiEdit/).textContent).toContain("−2");
});

test("a written file is all added, and seen while it is typed", async () => {
  const s = new Script();
  const { feed, tell } = await show([s.prompt("go")], { running: true });
  const piece = '{"file_path": "/work/shop/n.py", "content": "a = 1\\nb = ';
  await shown(feed, () => feed.live(s.live("tool_input_delta", piece, { tool_use_id: "1", tool_name: "Write" })));
  expect(card(/Write/).textContent).toContain("n.py");
  expect(card(/Write/).textContent).toContain("正在准备");
  expect(screen.getByText("b =")).toBeTruthy();
  await tell([s.call("1", "Write", { file_path: "/work/shop/n.py", content: "a = 1\nb = 2\n" }), s.result("1", "ok")]);
  expect(card(/Write/).textContent).toContain("+2");
});

test("a file that was read keeps its own line numbers", async () => {
  const s = new Script();
  await show([s.prompt("go"), s.call("1", "Read", { file_path: "a.py" }), s.result("1", "    41→x = 1\n    42→y = 2")]);
  expect(card(/Read/).textContent).toContain("2 行");
  await userEvent.click(card(/Read/));
  expect(screen.getByText("42").nextElementSibling?.textContent).toBe("y = 2");
});

test("what was found is listed by file", async () => {
  const s = new Script();
  await show([
    s.prompt("go"),
    s.call("1", "Grep", { pattern: "txn", path: "app/" }),
    s.result("1", "a.py:3:txn = 1\na.py:9:txn\nb.py:1:txn"),
    s.call("2", "Glob", { pattern: "*.md" }),
    s.result("2", "No files found"),
  ]);
  expect(card(/Grep/).textContent).toContain("3 处，2 个文件");
  await userEvent.click(card(/Grep/));
  expect(screen.getAllByRole("listitem")).toHaveLength(2);
  await userEvent.click(card(/Glob/));
  expect(screen.getByText("没有找到")).toBeTruthy();
});

test("the list of what is to be done shows each state as a shape and a word", async () => {
  const s = new Script();
  const states = ["pending", "in_progress", "completed", "failed", "skipped"];
  const todos = states.map((status) => ({ content: `item ${status}`, status, activeForm: "" }));
  await show([s.prompt("go"), s.call("1", "TodoWrite", { todos }), s.result("1", "ok")]);
  expect(isOpen(/待办/)).toBe(true);
  expect(screen.getAllByRole("listitem").map((item) => item.textContent)).toEqual([
    "○未开始item pending",
    "◐进行中item in_progress",
    "✓已完成item completed",
    "✗失败item failed",
    "⊘已跳过item skipped",
  ]);
});

test("a page of the web is a title and a host, and no other kind of address is a link", async () => {
  const s = new Script();
  const pages = [
    { title: "INSERT", url: "https://www.postgresql.org/docs/" },
    { title: "evil", url: "javascript:alert(1)" },
  ];
  await show([
    s.prompt("go"),
    s.call("1", "WebSearch", { query: "on conflict" }),
    s.result("1", `Links: ${JSON.stringify(pages)}`),
  ]);
  await userEvent.click(card(/WebSearch/));
  expect(screen.getAllByRole("link").map((link) => link.getAttribute("href"))).toEqual([
    "https://www.postgresql.org/docs/",
  ]);
  expect(screen.getByText("www.postgresql.org")).toBeTruthy();
  expect(screen.getByText("evil")).toBeTruthy();
});

test("a sub-agent's rows stand in its card, and the third level waits folded", async () => {
  const s = new Script();
  const inside = (id: string) => ({ parent_tool_use_id: id });
  await show(
    [
      s.prompt("go"),
      s.call("1", "Task", { subagent_type: "Explore", description: "look around" }),
      s.call("2", "Task", { subagent_type: "Two", description: "deeper" }, inside("1")),
      s.call("3", "Task", { subagent_type: "Three", description: "deepest" }, inside("2")),
      s.text("words at the bottom", inside("3")),
    ],
    { running: true },
  );
  expect(isOpen(/子代理 Explore/)).toBe(true);
  expect(isOpen(/子代理 Two/)).toBe(true);
  expect(isOpen(/子代理 Three/)).toBe(false);
  expect(screen.queryByText("words at the bottom")).toBeNull();
  await userEvent.click(card(/子代理 Three/));
  expect(screen.getByText("words at the bottom")).toBeTruthy();
});

test("a tool without a look of its own shows what it was given and what it gave", async () => {
  const s = new Script();
  await show([s.prompt("go"), s.call("1", "mcp__sentry__issues", { project: "shop" }), s.result("1", "<b>none</b>")]);
  expect(isOpen(/mcp__sentry__issues/)).toBe(false);
  await userEvent.click(card(/mcp__sentry__issues/));
  expect(screen.getByText(/"project": "shop"/)).toBeTruthy();
  expect(screen.getByText("<b>none</b>")).toBeTruthy();
});

test("a run of reads and searches is one line that opens", async () => {
  const s = new Script();
  const run = ["Read", "Read", "Grep"].flatMap((name, place) => [
    s.call(`c${place}`, name, { file_path: `f${place}.py`, pattern: "x" }),
    s.result(`c${place}`, ""),
  ]);
  const prompt = s.prompt("go");
  await show([...run, prompt]);
  expect(screen.queryByText("f0.py")).toBeNull();
  await userEvent.click(card(/读了 2 个文件，搜索 1 次/));
  expect(screen.getByText("f0.py")).toBeTruthy();
});
