// A sub-agent: a thread inside the thread, with an edge of its own, one step in.

import { GitBranch } from "lucide-react";
import { useContext } from "react";

import { DepthContext, useThread } from "@/features/session/thread/thread-context";
import { field } from "@/features/session/thread/tools/input";
import { PlainResult, Took } from "@/features/session/thread/tools/parts";
import { errorText } from "@/features/session/thread/tools/result";
import type { ToolView } from "@/features/session/thread/tools/view";
import type { ToolRow } from "@/shared/events/rows";

export const agent: ToolView = {
  icon: GitBranch,
  name: (input, say) => {
    const name = field(input, "subagent_type");
    return name === "" ? say("subagent") : say("subagent_named", { name });
  },
  argument: (input) => ({ text: field(input, "description"), isProse: true }),
  Facts: Took,
  Body: AgentBody,
  opens: "while running",
};

function AgentBody({ row }: { row: ToolRow }) {
  const depth = useContext(DepthContext);
  const { SubThread } = useThread();
  return (
    <DepthContext value={depth + 1}>
      {row.children.length > 0 && <SubThread rows={row.children} since={row.time} />}
      {row.result !== null && !endsWith(row, row.result) && <PlainResult row={row} />}
    </DepthContext>
  );
}

/** Whether the result only repeats the last words of the sub-agent. */
function endsWith(row: ToolRow, result: string): boolean {
  const last = row.children.findLast((child) => child.kind === "text");
  return last !== undefined && last.kind === "text" && errorText(result).trim() === last.text.trim();
}
