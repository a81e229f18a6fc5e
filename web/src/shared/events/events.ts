// The events of the contract, told apart by `type`.

import type {
  Complete,
  Error,
  Info,
  Text,
  TextDelta,
  Thinking,
  ThinkingDelta,
  ToolInputDelta,
  ToolResult,
  ToolUse,
} from "@/shared/api/types.gen";

export type { Complete, Error, Info, Text, Thinking, ToolResult, ToolUse };
export type DurableEvent = Text | Thinking | ToolUse | ToolResult | Error | Complete | Info;
export type LiveEvent = TextDelta | ThinkingDelta | ToolInputDelta;
