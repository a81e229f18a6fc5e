// Which tool is shown how. A tool that is not named here is shown as JSON.

import { agent } from "@/features/session/thread/tools/agent";
import { bash } from "@/features/session/thread/tools/bash";
import { edit } from "@/features/session/thread/tools/edit";
import { other } from "@/features/session/thread/tools/other";
import { read } from "@/features/session/thread/tools/read";
import { glob, grep } from "@/features/session/thread/tools/search";
import { todo } from "@/features/session/thread/tools/todo";
import type { ToolView } from "@/features/session/thread/tools/view";
import { webFetch, webSearch } from "@/features/session/thread/tools/web";
import { write } from "@/features/session/thread/tools/write";
import type { ToolRow } from "@/shared/events/rows";

const VIEWS: Readonly<Record<string, ToolView>> = {
  Agent: agent,
  Bash: bash,
  Edit: edit,
  Glob: glob,
  Grep: grep,
  LS: glob,
  MultiEdit: edit,
  NotebookEdit: edit,
  Read: read,
  Task: agent,
  TodoWrite: todo,
  WebFetch: webFetch,
  WebSearch: webSearch,
  Write: write,
};

export function viewOf(name: string): ToolView {
  return Object.hasOwn(VIEWS, name) ? VIEWS[name]! : other;
}

const DEEPEST_IN_PLACE = 2;

export function opensByItself(row: ToolRow, depth: number): boolean {
  if (row.state === "failed") return true;
  if (row.children.length > 0 && depth >= DEEPEST_IN_PLACE) return false;
  const { opens } = viewOf(row.name);
  return opens === "always" || (opens === "while running" && row.state === "running");
}
