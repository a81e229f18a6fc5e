// The whole app before a server that a test plays: requests are answered from a table, events are said by hand.

import { act, cleanup, render, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, vi } from "vitest";

import { App } from "@/app/app";
import { useTabs } from "@/features/session/tabs";
import { useDraft } from "@/shared/draft";
import { useTasks } from "@/shared/events/live";
import { usePreferences } from "@/shared/preferences";

import { Script, type Numbered } from "../fold/events";
import { FakeSocket, useFakeSockets } from "../socket/fake-socket";
import { useScreen } from "../thread/screen";

export const SESSION = "a0000000-0000-4000-8000-000000000001";

export type Asked = { readonly method: string; readonly path: string; readonly body: Record<string, unknown> };
type Answer = { status?: number; body: unknown; headers?: Record<string, string> } | "no answer";

export const asked: Asked[] = [];
let answers: (request: Asked) => Answer | undefined;

const STATUS = { version: "1", offline: false, bypass: false, default_directory: "/work" };

function usual({ method, path, body }: Asked): Answer {
  if (path === "/api/status") return { body: STATUS };
  if (path === "/api/tools") return { body: { tools: [tool("Bash"), tool("Read")] } };
  if (path === "/api/examples") return { body: { examples: [] } };
  if (path.startsWith("/api/directories")) return { body: { directories: ["/work/shop"] } };
  if (method === "POST") {
    return { status: 202, body: { task_id: body["task_id"], session_id: body["resume"] ?? SESSION, status: "queued" } };
  }
  return { body: {} };
}

const tool = (name: string) => ({ name, description: `what ${name} does`, offered: true, allowed: true });

export function useApp(): void {
  useScreen();
  beforeEach(() => {
    asked.length = 0;
    answers = () => undefined;
    useFakeSockets();
    vi.stubGlobal("matchMedia", () => ({ matches: true }));
    vi.stubGlobal("fetch", async (path: string, { method, body }: RequestInit) => {
      const request = { method: method ?? "GET", path, body: JSON.parse(String(body ?? "{}")) as Asked["body"] };
      asked.push(request);
      const answer = answers(request) ?? usual(request);
      if (answer === "no answer") throw new TypeError("nobody there");
      return new Response(JSON.stringify(answer.body), { status: answer.status ?? 200, headers: answer.headers ?? {} });
    });
  });
  afterEach(() => {
    cleanup();
    vi.unstubAllGlobals();
    useDraft.setState(useDraft.getInitialState());
    useTasks.setState({ byId: new Map() });
    useTabs.setState({ open: [] });
    usePreferences.setState({ language: "zh" });
  });
}

export function answering(by: typeof answers): void {
  answers = by;
}

export async function open(path = "/") {
  history.replaceState(null, "", path);
  render(<App linkRefusal={null} />);
  await screen.findByLabelText("任务描述");
  act(() => FakeSocket.last.open());
}

/** What a session has in its log, and then what is told of it. */
export async function tell(events: readonly Numbered[]): Promise<void> {
  await waitFor(() => {
    if (!FakeSocket.last.sent.some((frame) => frame["session_id"] === SESSION)) throw new Error("not asked for");
  });
  await act(async () => {
    for (const { seq, event } of events) FakeSocket.last.say({ session_id: SESSION, seq, event });
    FakeSocket.last.say({ op: "subscribed", session_id: SESSION, last: events.at(-1)?.seq ?? 0 });
    await new Promise((flushed) => requestAnimationFrame(flushed));
  });
}

export const field = () => screen.getByLabelText<HTMLTextAreaElement>("任务描述");
export const posts = () => asked.filter(({ method, path }) => method === "POST" && path.startsWith("/api/task"));
export { FakeSocket, Script };
