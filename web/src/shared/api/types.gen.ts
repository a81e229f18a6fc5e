// Written by scripts/generate_types.py from the API's description. Not to be edited.

export type Complete = {
  readonly content: string;
  readonly timestamp: string;
  readonly session_id: string;
  readonly task_id: string;
  readonly type: "complete";
  readonly metadata: CompleteMetadata;
  readonly truncated?: Readonly<Record<string, Cut>> | null;
};

export type CompleteMetadata = {
  readonly session_id: string;
  readonly status: TaskStatus;
  readonly is_error: boolean;
  readonly cost_usd?: number | null;
  readonly duration_ms?: number | null;
  readonly num_turns?: number | null;
  readonly files_changed?: readonly (string)[];
  readonly tools_used?: readonly (string)[];
  readonly unknown?: readonly (string)[];
};

export type Cut = {
  readonly bytes: number;
  readonly sha256: string;
};

export type DirectoryNames = {
  readonly directories: readonly (string)[];
};

export type Done = {
  readonly success?: boolean;
};

export type Error = {
  readonly content: string;
  readonly timestamp: string;
  readonly session_id: string;
  readonly task_id: string;
  readonly type: "error";
  readonly metadata: ErrorMetadata;
  readonly truncated?: Readonly<Record<string, Cut>> | null;
};

export type ErrorBody = {
  readonly success?: false;
  readonly error: string;
  readonly message: string;
  readonly request_id?: string | null;
};

export type ErrorMetadata = {
  readonly error: Failure;
  readonly detail?: string | null;
};

export type Event = Text | Thinking | ToolUse | ToolResult | Error | Complete | Info | TextDelta | ThinkingDelta | ToolInputDelta;

export type Example = {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly prompt: string;
  readonly tools: readonly (string)[] | null;
  readonly permission_mode: "default" | "acceptEdits" | "plan" | "bypassPermissions";
};

export type Examples = {
  readonly examples: readonly (Example)[];
};

export type Failure = "engine_failed" | "task_timeout" | "max_turns_reached" | "usage_limit" | "no_credentials";

export type Info = {
  readonly content: string;
  readonly timestamp: string;
  readonly session_id: string;
  readonly task_id: string;
  readonly type: "info";
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly truncated?: Readonly<Record<string, Cut>> | null;
};

export type SignIn = {
  readonly key: string;
};

export type Status = {
  readonly version: string;
  readonly state: string;
  readonly offline: boolean;
  readonly default_directory: string;
  readonly allowed_directories: readonly (string)[];
  readonly bypass: boolean;
  readonly language: "zh" | "en";
};

export type TaskRequest = {
  readonly prompt: string;
  readonly working_dir?: string | null;
  readonly tools?: readonly (string)[] | null;
  readonly continue_conversation?: boolean;
  readonly resume?: string | null;
  readonly permission_mode?: "default" | "acceptEdits" | "plan" | "bypassPermissions";
  readonly engine?: "claude";
  readonly on_disconnect?: "continue" | "stop";
  readonly task_id?: string | null;
  readonly model?: string | null;
  readonly max_turns?: number | null;
  readonly timeout_s?: number | null;
  readonly wait_s?: number | null;
  readonly queue?: boolean;
};

export type TaskResponse = {
  readonly success: boolean;
  readonly message: string;
  readonly session_id: string | null;
  readonly cost_usd: number | null;
  readonly duration_ms: number | null;
  readonly files_changed: readonly (string)[];
  readonly tools_used: readonly (string)[];
  readonly task_id: string;
  readonly status: TaskStatus;
};

export type TaskResult = {
  readonly success: boolean;
  readonly message: string;
  readonly cost_usd?: number | null;
  readonly duration_ms?: number | null;
  readonly num_turns?: number | null;
  readonly files_changed?: readonly (string)[];
  readonly tools_used?: readonly (string)[];
  readonly error?: Failure | null;
};

export type TaskState = {
  readonly task_id: string;
  readonly session_id: string;
  readonly status: TaskStatus;
  readonly engine: "claude";
  readonly working_dir: string;
  readonly created_at: string;
  readonly started_at?: string | null;
  readonly ended_at?: string | null;
  readonly offline?: boolean;
  readonly stalled?: Readonly<Record<string, string>> | null;
  readonly result?: TaskResult | null;
};

export type TaskStatus = "queued" | "running" | "waiting" | "parked" | "interrupted" | "completed" | "failed" | "cancelled";

export type Text = {
  readonly content: string;
  readonly timestamp: string;
  readonly session_id: string;
  readonly task_id: string;
  readonly uuid?: string | null;
  readonly message_id?: string | null;
  readonly block?: number | null;
  readonly parent_tool_use_id?: string | null;
  readonly type: "text";
  readonly truncated?: Readonly<Record<string, Cut>> | null;
};

export type TextDelta = {
  readonly content: string;
  readonly timestamp: string;
  readonly session_id: string;
  readonly task_id: string;
  readonly message_id?: string | null;
  readonly block?: number | null;
  readonly parent_tool_use_id?: string | null;
  readonly type: "text_delta";
};

export type Thinking = {
  readonly content: string;
  readonly timestamp: string;
  readonly session_id: string;
  readonly task_id: string;
  readonly uuid?: string | null;
  readonly message_id?: string | null;
  readonly block?: number | null;
  readonly parent_tool_use_id?: string | null;
  readonly type: "thinking";
  readonly truncated?: Readonly<Record<string, Cut>> | null;
};

export type ThinkingDelta = {
  readonly content: string;
  readonly timestamp: string;
  readonly session_id: string;
  readonly task_id: string;
  readonly message_id?: string | null;
  readonly block?: number | null;
  readonly parent_tool_use_id?: string | null;
  readonly type: "thinking_delta";
};

export type Tool = {
  readonly name: string;
  readonly description: string;
  readonly offered: boolean;
  readonly allowed: boolean;
};

export type ToolInputDelta = {
  readonly content: string;
  readonly timestamp: string;
  readonly session_id: string;
  readonly task_id: string;
  readonly message_id?: string | null;
  readonly block?: number | null;
  readonly parent_tool_use_id?: string | null;
  readonly type: "tool_input_delta";
  readonly tool_name: string;
  readonly tool_use_id: string;
};

export type ToolResult = {
  readonly content: string;
  readonly timestamp: string;
  readonly session_id: string;
  readonly task_id: string;
  readonly uuid?: string | null;
  readonly message_id?: string | null;
  readonly block?: number | null;
  readonly parent_tool_use_id?: string | null;
  readonly type: "tool_result";
  readonly tool_name?: string | null;
  readonly tool_use_id: string;
  readonly is_error: boolean;
  readonly files_changed?: readonly (string)[] | null;
  readonly truncated?: Readonly<Record<string, Cut>> | null;
};

export type ToolUse = {
  readonly content: string;
  readonly timestamp: string;
  readonly session_id: string;
  readonly task_id: string;
  readonly uuid?: string | null;
  readonly message_id?: string | null;
  readonly block?: number | null;
  readonly parent_tool_use_id?: string | null;
  readonly type: "tool_use";
  readonly tool_name: string;
  readonly tool_input: Readonly<Record<string, unknown>>;
  readonly tool_use_id: string;
  readonly truncated?: Readonly<Record<string, Cut>> | null;
};

export type Tools = {
  readonly tools: readonly (Tool)[];
};
