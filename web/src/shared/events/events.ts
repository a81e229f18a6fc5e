// The events of the contract, told apart by `type`.

import type * as wire from "@/shared/api/types.gen";

/** Only a question, and what becomes of it, may belong to the session alone. */
type OfTask<Event extends { readonly task_id: string | null }> = Omit<Event, "task_id"> & { readonly task_id: string };

export type Text = OfTask<wire.Text>;
export type Thinking = OfTask<wire.Thinking>;
export type ToolUse = OfTask<wire.ToolUse>;
export type ToolResult = OfTask<wire.ToolResult>;
export type Error = OfTask<wire.Error>;
export type Complete = OfTask<wire.Complete>;
export type Info = wire.Info;
export type AskUserQuestion = wire.AskUserQuestion;
export type DurableEvent = Text | Thinking | ToolUse | ToolResult | Error | Complete | Info | AskUserQuestion;
export type AgentProgress = OfTask<wire.AgentProgress>;
export type LiveEvent =
  | OfTask<wire.TextDelta>
  | OfTask<wire.ThinkingDelta>
  | OfTask<wire.ToolInputDelta>
  | AgentProgress;
