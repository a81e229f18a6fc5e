// Written by scripts/generate_types.py from the API's description. Not to be edited.

export type Agent = {
  readonly agent_id: string;
  readonly tool_use_id?: string | null;
  readonly parent?: string | null;
  readonly type?: string | null;
  readonly description?: string;
  readonly state: AgentState;
  readonly background?: boolean;
  readonly steps?: number;
  readonly last_tool?: string | null;
  readonly tokens?: number | null;
  readonly duration_ms?: number | null;
  readonly summary?: string | null;
  readonly task_id?: string | null;
  readonly model?: string | null;
  readonly started_at?: string | null;
  readonly ended_at?: string | null;
  readonly usage?: TokenUsage | null;
  readonly cost_usd?: number | null;
  readonly agents?: readonly (Agent)[];
};

export type AgentProgress = {
  readonly content: string;
  readonly timestamp: string;
  readonly session_id: string;
  readonly task_id: string | null;
  readonly type: "agent_progress";
  readonly agent: AgentReport;
};

export type AgentReport = {
  readonly agent_id: string;
  readonly tool_use_id?: string | null;
  readonly parent?: string | null;
  readonly type?: string | null;
  readonly description?: string;
  readonly state: AgentState;
  readonly background?: boolean;
  readonly steps?: number;
  readonly last_tool?: string | null;
  readonly tokens?: number | null;
  readonly duration_ms?: number | null;
  readonly summary?: string | null;
};

export type AgentState = "running" | "completed" | "failed" | "stopped" | "unknown";

export type AgentTree = {
  readonly session_id: string;
  readonly agents: readonly (Agent)[];
  readonly background: readonly (Background)[];
};

export type AlreadyAnsweredBody = {
  readonly success?: false;
  readonly error: string;
  readonly message: string;
  readonly request_id?: string | null;
  readonly answered_by: string | null;
  readonly answered_at: string | null;
  readonly door: string | null;
};

export type AnswerRequest = {
  readonly session_id: string;
  readonly question_id: string;
  readonly answer: unknown;
  readonly answers?: Readonly<Record<string, unknown>>;
  readonly reason?: string | null;
  readonly updated_input?: Readonly<Record<string, unknown>> | null;
  readonly stop?: boolean;
};

export type AnswerTaken = {
  readonly success?: true;
  readonly message: string;
  readonly remaining: readonly (string)[];
  readonly cleaned?: true | null;
};

export type AskRequest = {
  readonly session_id: string;
  readonly question: Readonly<Record<string, unknown>>;
};

export type AskUserQuestion = {
  readonly content: string;
  readonly timestamp: string;
  readonly session_id: string;
  readonly task_id: string | null;
  readonly uuid?: string | null;
  readonly message_id?: string | null;
  readonly block?: number | null;
  readonly parent_tool_use_id?: string | null;
  readonly type: "ask_user_question";
  readonly question: AskedQuestion;
  readonly tool_use_id?: string | null;
  readonly truncated?: Readonly<Record<string, Cut>> | null;
};

export type AskedQuestion = {
  readonly question_id: string;
  readonly question_text: string;
  readonly type: QuestionType;
  readonly header?: string | null;
  readonly description?: string | null;
  readonly options?: readonly (Option)[];
  readonly required?: boolean;
  readonly allow_other?: boolean;
  readonly follow_up_questions?: Readonly<Record<string, readonly (Question)[]>>;
  readonly kind?: QuestionKind;
  readonly group?: Group | null;
  readonly round?: number | null;
  readonly tool_name?: string | null;
  readonly tool_input?: Readonly<Record<string, unknown>> | null;
  readonly agent_id?: string | null;
  readonly scope?: string | null;
  readonly plan?: string | null;
  readonly runs?: readonly (Runs | string)[] | null;
  readonly runs_total?: number | null;
  readonly directory?: string | null;
  readonly mcp_server?: string | null;
  readonly message?: string | null;
  readonly url?: string | null;
};

export type Attachment = {
  readonly name: string;
  readonly media_type: string;
  readonly data: string;
};

export type Background = {
  readonly background_id: string;
  readonly tool_use_id?: string | null;
  readonly agent?: string | null;
  readonly kind: string;
  readonly description?: string;
  readonly state: AgentState;
  readonly summary?: string | null;
  readonly task_id: string;
  readonly started_at: string;
  readonly ended_at?: string | null;
};

export type Behaviour = "works" | "tools_are_known" | "keeps_the_session" | "asks" | "keeps_a_question" | "asks_by_our_tool" | "asks_for_permission" | "runs_what_was_approved" | "presents_its_plan" | "takes_a_message" | "gives_a_message_back" | "stops" | "runs_nothing_untrusted" | "takes_up_no_change";

export type ChangeRequest = {
  readonly permission_mode?: "default" | "acceptEdits" | "plan" | "bypassPermissions" | null;
  readonly model?: string | null;
};

export type ChangeTaken = {
  readonly task_id: string;
  readonly permission_mode: "default" | "acceptEdits" | "plan" | "bypassPermissions" | null;
  readonly model: string | null;
  readonly receipt: ReceiptState;
};

export type Command = {
  readonly name: string;
  readonly description?: string;
  readonly argument_hint?: string;
  readonly source: CommandSource;
  readonly kind?: "command" | "skill";
};

export type CommandSource = "builtin" | "user" | "project" | "plugin";

export type Commands = {
  readonly commands: readonly (Command)[];
};

export type Compaction = {
  readonly trigger?: string | null;
  readonly pre_tokens?: number | null;
};

export type Complete = {
  readonly content: string;
  readonly timestamp: string;
  readonly session_id: string;
  readonly task_id: string | null;
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

export type ConversationAgent = {
  readonly agent_id: string;
  readonly parent_tool_use_id?: string | null;
  readonly agent_type?: string | null;
  readonly description?: string | null;
};

export type ConversationBack = {
  readonly kept: number;
  readonly prompt?: string | null;
};

export type Cut = {
  readonly bytes: number;
  readonly sha256: string;
};

export type Damage = {
  readonly lines: number;
  readonly first_line: number;
};

export type Dialog = {
  readonly session_id: string;
  readonly current_round: number;
  readonly total_rounds: number;
  readonly dialog_history: readonly (DialogEntry)[];
};

export type DialogEntry = {
  readonly round: number;
  readonly question: string;
  readonly answer: string | null;
  readonly question_id: string;
  readonly state: QuestionState;
  readonly answered_at: string | null;
};

export type DirectoryNames = {
  readonly directories: readonly (string)[];
};

export type Done = {
  readonly success?: boolean;
};

export type Door = "console" | "api" | "websocket" | "cli" | "mcp";

export type Error = {
  readonly content: string;
  readonly timestamp: string;
  readonly session_id: string;
  readonly task_id: string | null;
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
  readonly lifts_at?: string | null;
};

export type Event = Text | Thinking | ToolUse | ToolResult | Error | Complete | Info | AskUserQuestion | TextDelta | ThinkingDelta | ToolInputDelta | AgentProgress;

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

export type Failure = "engine_failed" | "task_timeout" | "budget_exceeded" | "max_turns_reached" | "usage_limit" | "no_credentials";

export type FileChange = {
  readonly path: string;
  readonly old_path?: string | null;
  readonly status: "added" | "modified" | "deleted" | "renamed";
  readonly kind?: FileKind | null;
  readonly old_kind?: FileKind | null;
  readonly additions?: number | null;
  readonly deletions?: number | null;
  readonly binary?: boolean;
  readonly large?: boolean;
  readonly state: string;
  readonly diff?: string | null;
  readonly cut?: boolean;
};

export type FileKind = "file" | "program" | "link" | "repository";

export type FileNames = {
  readonly files: readonly (string)[];
  readonly complete: boolean;
};

export type FilePreview = {
  readonly path: string;
  readonly size: number;
  readonly encoding: "utf-8" | "base64";
  readonly content: string;
  readonly truncated: boolean;
};

export type FilesChange = {
  readonly files: readonly (string)[];
  readonly insertions?: number | null;
  readonly deletions?: number | null;
  readonly skipped_links?: number;
};

export type Finding = {
  readonly behaviour: Behaviour;
  readonly holds: boolean;
  readonly detail?: string;
};

export type Forgotten = {
  readonly forgotten: number;
};

export type Forked = {
  readonly session_id: string;
  readonly forked_from: ForkedFrom;
  readonly engine: "claude";
  readonly working_dir: string;
  readonly created_at: string;
  readonly offline: boolean;
};

export type ForkedFrom = {
  readonly session_id: string;
  readonly message_id?: string | null;
};

export type Group = {
  readonly id: string;
  readonly index: number;
  readonly total: number;
};

export type Info = {
  readonly content: string;
  readonly timestamp: string;
  readonly session_id: string;
  readonly task_id: string | null;
  readonly type: "info";
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly truncated?: Readonly<Record<string, Cut>> | null;
};

export type Limit = "usage_limit" | "overloaded" | "unreachable";

export type Message = {
  readonly role: "user" | "assistant" | "system";
  readonly kind: "message" | "steered" | "injected" | "error" | "summary" | "compaction";
  readonly content: readonly (Readonly<Record<string, unknown>>)[];
  readonly timestamp?: string | null;
  readonly uuid: string;
  readonly parentUuid?: string | null;
  readonly message_id?: string | null;
  readonly block?: number | null;
  readonly round: number;
  readonly input_type?: "text" | "tool_result" | "ide_selection" | "ide_opened_file" | null;
  readonly model?: string | null;
  readonly agent_id?: string | null;
  readonly parent_tool_use_id?: string | null;
  readonly compaction?: Compaction | null;
  readonly truncated?: Readonly<Record<string, Shortened>> | null;
};

export type MessageMode = "queue" | "steer";

export type MessagePage = {
  readonly messages: readonly (Message)[];
  readonly next_cursor: string | null;
  readonly total: number;
  readonly rounds: number;
  readonly agents: readonly (ConversationAgent)[];
  readonly damaged?: Damage | null;
};

export type MessageRequest = {
  readonly content: string;
  readonly mode: MessageMode;
  readonly message_id?: string | null;
};

export type MessageTaken = {
  readonly task_id: string;
  readonly message_id: string;
  readonly mode: MessageMode;
  readonly receipt: ReceiptState;
};

export type Option = {
  readonly id: string;
  readonly label: string;
  readonly description?: string | null;
  readonly default?: boolean;
};

export type Parked = {
  readonly until: string | null;
  readonly reason: Limit;
  readonly since: string;
  readonly resumes: boolean;
  readonly attempt?: number;
};

export type Progress = {
  readonly done: number;
  readonly total: number;
};

export type Project = {
  readonly path: string;
  readonly session_count: number;
  readonly last_active: string;
};

export type ProjectList = {
  readonly projects: readonly (Project)[];
  readonly indexing?: Progress | null;
};

export type Question = {
  readonly question_id: string;
  readonly question_text: string;
  readonly type: QuestionType;
  readonly header?: string | null;
  readonly description?: string | null;
  readonly options?: readonly (Option)[];
  readonly required?: boolean;
  readonly allow_other?: boolean;
  readonly follow_up_questions?: Readonly<Record<string, readonly (Question)[]>>;
};

export type QuestionKind = "question" | "permission" | "plan_approval" | "trust" | "elicitation" | "planner_input";

export type QuestionPage = {
  readonly questions: readonly (QuestionReport)[];
  readonly next_cursor: string | null;
};

export type QuestionReport = {
  readonly question_id: string;
  readonly question_text: string;
  readonly type: QuestionType;
  readonly header?: string | null;
  readonly description?: string | null;
  readonly options?: readonly (Option)[];
  readonly required?: boolean;
  readonly allow_other?: boolean;
  readonly follow_up_questions?: Readonly<Record<string, readonly (Question)[]>>;
  readonly kind?: QuestionKind;
  readonly group?: Group | null;
  readonly round?: number | null;
  readonly tool_name?: string | null;
  readonly tool_input?: Readonly<Record<string, unknown>> | null;
  readonly agent_id?: string | null;
  readonly scope?: string | null;
  readonly plan?: string | null;
  readonly runs?: readonly (Runs | string)[] | null;
  readonly runs_total?: number | null;
  readonly directory?: string | null;
  readonly mcp_server?: string | null;
  readonly message?: string | null;
  readonly url?: string | null;
  readonly session_id: string;
  readonly task_id: string | null;
  readonly state: QuestionState;
  readonly asked_at: string;
  readonly parent_id?: string | null;
  readonly due_in_s?: number | null;
  readonly answer?: string | boolean | readonly (unknown)[] | Readonly<Record<string, unknown>> | null;
  readonly answered_at?: string | null;
  readonly answered_by?: string | null;
  readonly door?: Door | null;
  readonly reason?: string | null;
  readonly updated_input?: Readonly<Record<string, unknown>> | null;
  readonly way?: string | null;
};

export type QuestionState = "pending" | "answered" | "cancelled" | "timeout";

export type QuestionType = "multiple_choice" | "checkbox" | "text" | "boolean";

export type ReceiptState = "accepted" | "delivered" | "consumed" | "refused";

export type RevertRequest = {
  readonly path: string;
  readonly expected?: string | null;
};

export type Reverted = {
  readonly success?: true;
  readonly message: string;
  readonly path: string;
  readonly restored?: string | null;
};

export type RewindRequest = {
  readonly message_id?: string | null;
  readonly question_id?: string | null;
  readonly fork?: boolean;
  readonly restore?: "conversation" | "files" | "both";
  readonly dry_run?: boolean;
};

export type Rewound = {
  readonly success?: true;
  readonly dry_run: boolean;
  readonly session_id: string | null;
  readonly forked: boolean;
  readonly conversation?: ConversationBack | null;
  readonly files?: FilesChange | null;
  readonly task_id?: string | null;
  readonly question_ids?: readonly (string)[];
};

export type Runs = {
  readonly kind: string;
  readonly path: string;
  readonly name: string;
  readonly what: string;
};

export type SelfCheck = {
  readonly program: string;
  readonly build: string;
  readonly version: string | null;
  readonly checked_at: string;
  readonly findings: readonly (Finding)[];
};

export type SelfCheckReport = {
  readonly state: "pending" | "running" | "done" | "failed" | "off";
  readonly report: SelfCheck | null;
  readonly sentences: Readonly<Record<string, string>>;
};

export type SelfCheckStatus = {
  readonly state: "pending" | "running" | "done" | "failed" | "off";
  readonly version?: string | null;
  readonly holds?: boolean | null;
  readonly failing?: readonly (Behaviour)[];
};

export type Session = {
  readonly id: string;
  readonly title: string;
  readonly project_path: string;
  readonly timestamp: string;
  readonly last_active: string;
  readonly message_count: number;
  readonly tools_used?: readonly (string)[];
  readonly files_changed?: readonly (string)[];
  readonly cost_usd?: number | null;
  readonly model?: string | null;
  readonly git_branch?: string | null;
  readonly tags?: readonly (string)[];
  readonly engine?: "claude";
  readonly offline?: boolean;
  readonly has_transcript?: boolean;
  readonly forked_from?: ForkedFrom | null;
  readonly damaged_lines?: number;
  readonly status?: TaskStatus | null;
  readonly task_id?: string | null;
  readonly snippet?: Snippet | null;
};

export type SessionDiff = {
  readonly session_id: string;
  readonly working_dir: string;
  readonly available: boolean;
  readonly reason?: string | null;
  readonly message?: string | null;
  readonly recorded_at?: string | null;
  readonly files?: readonly (FileChange)[];
  readonly total?: number;
  readonly additions?: number;
  readonly deletions?: number;
};

export type SessionLabels = {
  readonly session_id: string;
  readonly title?: string | null;
  readonly tags?: readonly (string)[] | null;
};

export type SessionPage = {
  readonly sessions: readonly (Session)[];
  readonly next_cursor?: string | null;
  readonly indexing?: Progress | null;
  readonly searched?: Progress | null;
};

export type SessionPatch = {
  readonly title?: string | null;
  readonly tags?: readonly (string)[] | null;
};

export type Shortened = {
  readonly bytes: number;
  readonly sha256?: string | null;
};

export type SignIn = {
  readonly key: string;
};

export type Snippet = {
  readonly text: string;
  readonly matches?: readonly (readonly (unknown)[])[];
};

export type Status = {
  readonly version: string;
  readonly state: string;
  readonly offline: boolean;
  readonly default_directory: string;
  readonly allowed_directories: readonly (string)[];
  readonly bypass: boolean;
  readonly language: "zh" | "en";
  readonly self_check: SelfCheckStatus;
};

export type StopReply = {
  readonly success?: boolean;
  readonly agent_id: string;
  readonly state: AgentState;
};

export type TaskPending = {
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
  readonly waiting?: Waiting | null;
  readonly parked?: Parked | null;
  readonly cost_usd?: number | null;
  readonly result?: TaskResult | null;
  readonly questions?: readonly (QuestionReport)[];
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
  readonly max_budget_usd?: number | null;
  readonly timeout_s?: number | null;
  readonly on_limit?: "park" | "resume" | null;
  readonly wait_s?: number | null;
  readonly attachments?: readonly (Attachment)[];
  readonly questions?: readonly (Readonly<Record<string, unknown>>)[];
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
  readonly waiting?: Waiting | null;
  readonly parked?: Parked | null;
  readonly cost_usd?: number | null;
  readonly result?: TaskResult | null;
};

export type TaskStatus = "queued" | "running" | "waiting" | "parked" | "interrupted" | "completed" | "failed" | "cancelled";

export type Text = {
  readonly content: string;
  readonly timestamp: string;
  readonly session_id: string;
  readonly task_id: string | null;
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
  readonly task_id: string | null;
  readonly message_id?: string | null;
  readonly block?: number | null;
  readonly parent_tool_use_id?: string | null;
  readonly type: "text_delta";
};

export type Thinking = {
  readonly content: string;
  readonly timestamp: string;
  readonly session_id: string;
  readonly task_id: string | null;
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
  readonly task_id: string | null;
  readonly message_id?: string | null;
  readonly block?: number | null;
  readonly parent_tool_use_id?: string | null;
  readonly type: "thinking_delta";
};

export type TokenUsage = {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly cache_read_input_tokens?: number;
  readonly cache_creation_input_tokens?: number;
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
  readonly task_id: string | null;
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
  readonly task_id: string | null;
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
  readonly task_id: string | null;
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

export type TrustReport = {
  readonly directory: string;
  readonly decision: "trust" | "without";
  readonly digest: string;
  readonly decided_at: string;
  readonly session_id: string;
  readonly question_id: string;
};

export type Trusts = {
  readonly directories: readonly (TrustReport)[];
};

export type Waiting = {
  readonly question_ids: readonly (string)[];
  readonly since: string;
};
