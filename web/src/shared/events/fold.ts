// The console's only idea of a session: its log, folded. No state is invented here; what the log does not say is not shown.

import type {
  AskUserQuestion,
  Complete,
  DurableEvent,
  Error as ErrorEvent,
  Info,
  LiveEvent,
  Text,
  Thinking,
  ToolResult,
  ToolUse,
} from "@/shared/events/events";
import type { Asked, AskingRow, QuestionState, Receipt, Row, SpeechRow, ToolRow } from "@/shared/events/rows";

/** What the first event of a task says of it. */
export type TaskFacts = {
  readonly taskId: string;
  readonly prompt: string;
  readonly workingDir: string;
  readonly model: string | null;
  readonly tools: readonly string[] | null;
  readonly permissionMode: string;
  readonly offline: boolean;
  readonly startedAt: string;
  readonly complete: Complete | null;
};

export class SessionFold {
  readonly rows: Row[] = [];
  readonly tasks = new Map<string, TaskFacts>();
  /** The number of the last event that was folded in. */
  last = 0;
  /** Grows with each change: who shows the rows compares this, not them. */
  version = 0;

  /** Which row a question stands in. */
  private readonly askingKeys = new Map<string, string>();
  private readonly places = new Map<string, Place>();

  add(seq: number, event: DurableEvent): void {
    if (seq <= this.last) return;
    this.last = seq;
    this.version += 1;
    switch (event.type) {
      case "info":
        return this.addInfo(seq, event);
      case "text":
      case "thinking":
        return this.put(event.parent_tool_use_id, speech(speechKey(event, seq), event));
      case "tool_use":
        return this.addCall(event);
      case "tool_result":
        return this.addResult(event);
      case "error":
        return this.put(null, failure(seq, event));
      case "complete":
        return this.addEnd(seq, event);
      case "ask_user_question":
        return this.addQuestion(event);
    }
  }

  addLive(event: LiveEvent): void {
    // It is shown where agents are, and no piece of what is typed.
    if (event.type === "agent_progress") return;
    this.version += 1;
    if (event.type === "tool_input_delta") {
      if (isAsking(event.tool_name)) return;
      const key = toolKey(event.tool_use_id);
      const row = this.row(key);
      if (row === null) this.put(event.parent_tool_use_id, typingCall(key, event));
      else if (row.kind === "tool" && row.state === "typing") this.replace({ ...row, typed: row.typed + event.content });
      return;
    }
    const kind = event.type === "text_delta" ? "text" : "thinking";
    const key = blockKey(kind, event.message_id, event.block);
    // A piece that its whole could not find again would stay beside it.
    if (key === null) return;
    const row = this.row(key);
    if (row === null) {
      const base = { key, taskId: event.task_id, time: event.timestamp };
      this.put(event.parent_tool_use_id, { ...base, kind, text: event.content, streaming: true, truncated: null });
    } else if (row.kind === kind && row.streaming) {
      this.replace({ ...row, text: row.text + event.content });
    }
  }

  /** What was typed live is only known to a reader that was there: a new subscription begins without it. */
  dropLive(): void {
    const kept = withoutLive(this.rows);
    if (kept === this.rows) return;
    this.version += 1;
    this.rows.splice(0, this.rows.length, ...kept);
    this.places.clear();
    kept.forEach((row, index) => this.index(row, [index]));
  }

  /** All that was asked, by sub-agents too, in the order of asking. */
  askings(): AskingRow[] {
    const rows = [...new Set(this.askingKeys.values())].map((key) => this.row(key));
    return rows.filter((row) => row?.kind === "asking");
  }

  private addInfo(seq: number, event: Info): void {
    const { metadata } = event;
    if (isRecord(metadata["question"])) return this.changeQuestion(metadata["question"]);
    if (typeof metadata["message_id"] === "string") return this.addReceipt(metadata["message_id"], event);
    // The call that began the agent is what one sees of it.
    if (isRecord(metadata["agent"]) && this.row(toolKey(String(metadata["agent"]["tool_use_id"]))) !== null) return;
    const taskId = event.task_id ?? "";
    const isFirst = typeof metadata["prompt"] === "string" && !this.tasks.has(taskId);
    if (!isFirst) {
      const known = this.tasks.get(taskId);
      if (known !== undefined && typeof metadata["model"] === "string") {
        this.tasks.set(taskId, { ...known, model: metadata["model"] });
      }
      this.put(null, { ...base(`info:${seq}`, event), kind: "info", text: event.content, metadata });
      return;
    }
    this.tasks.set(taskId, facts(taskId, event));
    const round = this.tasks.size;
    this.put(null, { ...base(`prompt:${seq}`, event), kind: "prompt", text: metadata["prompt"] as string, round });
  }

  private addReceipt(messageId: string, event: Info): void {
    const { metadata } = event;
    const key = `said:${messageId}`;
    const row = this.row(key);
    const receipt = metadata["receipt"] as Receipt;
    const reason = typeof metadata["reason"] === "string" ? metadata["reason"] : null;
    if (row?.kind === "said") return this.replace({ ...row, receipt, reason });
    const message = metadata["message"];
    if (!isRecord(message)) return;
    this.put(null, { ...base(key, event), kind: "said", text: String(message["content"]), receipt, reason });
  }

  private addQuestion(event: AskUserQuestion): void {
    const { question } = event;
    const key = `asking:${question.group?.id ?? question.question_id}`;
    this.askingKeys.set(question.question_id, key);
    const asked: Asked = {
      question,
      state: "pending",
      answer: null,
      answeredBy: null,
      answeredAt: null,
      door: null,
      reason: null,
    };
    const row = this.row(key);
    const before = row?.kind === "asking" ? row.asked : [];
    const stamp = row ?? { key, taskId: event.task_id ?? "", time: event.timestamp };
    this.put(event.parent_tool_use_id, {
      key,
      taskId: stamp.taskId,
      time: stamp.time,
      kind: "asking",
      asked: [...before.filter((each) => each.question.question_id !== question.question_id), asked],
    });
  }

  private changeQuestion(change: Readonly<Record<string, unknown>>): void {
    const row = this.row(this.askingKeys.get(String(change["question_id"])) ?? "");
    if (row?.kind !== "asking") return;
    const text = (name: string) => (typeof change[name] === "string" ? change[name] : null);
    const asked = row.asked.map((each) =>
      each.question.question_id === change["question_id"]
        ? {
            ...each,
            state: (text("state") ?? each.state) as QuestionState,
            answer: change["answer"] ?? null,
            answeredBy: text("answered_by"),
            answeredAt: text("answered_at"),
            door: text("door"),
            reason: text("reason"),
          }
        : each,
    );
    this.replace({ ...row, asked });
  }

  private addCall(event: ToolUse): void {
    // The question itself is what one sees of a call that asks.
    if (isAsking(event.tool_name)) return;
    const key = toolKey(event.tool_use_id);
    const earlier = this.row(key);
    this.put(event.parent_tool_use_id, {
      ...emptyCall(key, event),
      name: event.tool_name,
      input: event.tool_input,
      state: "running",
      inputTruncated: event.truncated ?? null,
      children: earlier?.kind === "tool" ? earlier.children : [],
    });
  }

  private addResult(event: ToolResult): void {
    const key = toolKey(event.tool_use_id);
    const row = this.row(key);
    if (row === null && isAsking(event.tool_name ?? "")) return;
    // Where the call itself is not kept any more, its result still tells of it.
    const call = row?.kind === "tool" ? row : { ...emptyCall(key, event), name: event.tool_name ?? "?" };
    this.put(event.parent_tool_use_id, {
      ...call,
      state: event.is_error ? "failed" : "done",
      result: event.content,
      endedAt: event.timestamp,
      filesChanged: event.files_changed ?? [],
      resultTruncated: event.truncated ?? null,
    });
  }

  private addEnd(seq: number, event: Complete): void {
    const known = this.tasks.get(event.task_id);
    if (known !== undefined) this.tasks.set(event.task_id, { ...known, complete: event });
    // A call whose result nobody saw is unknown, and a sentence that was cut stays as far as it came.
    this.closeOpen(this.rows, event.task_id);
    this.put(null, { ...base(`complete:${seq}`, event), kind: "complete", text: event.content, metadata: event.metadata });
  }

  private closeOpen(rows: readonly Row[], taskId: string): void {
    for (const row of rows) {
      if (row.taskId !== taskId) continue;
      if (row.kind === "tool") {
        this.closeOpen(row.children, taskId);
        const now = this.row(row.key);
        if (now?.kind === "tool" && (now.state === "running" || now.state === "typing")) {
          this.replace({ ...now, state: "unknown" });
        }
      } else if ((row.kind === "text" || row.kind === "thinking") && row.streaming) {
        this.replace({ ...row, streaming: false });
      }
    }
  }

  // --- rows by key; a sub-agent's stand below the call that began it

  private row(key: string): Row | null {
    const place = this.places.get(key);
    return place === undefined ? null : at(this.rows, place);
  }

  private put(parent: string | null | undefined, row: Row): void {
    if (this.places.has(row.key)) {
      this.replace(row);
      return;
    }
    const above = parent == null ? undefined : this.places.get(toolKey(parent));
    if (above === undefined) {
      this.rows.push(row);
      this.places.set(row.key, [this.rows.length - 1]);
      return;
    }
    const call = at(this.rows, above) as ToolRow;
    this.places.set(row.key, [...above, call.children.length]);
    this.set(above, { ...call, children: [...call.children, row] });
  }

  private replace(row: Row): void {
    const place = this.places.get(row.key);
    if (place !== undefined) this.set(place, row);
  }

  private set(place: Place, row: Row): void {
    const [index, ...below] = place;
    if (index === undefined) return;
    this.rows[index] = below.length === 0 ? row : withBelow(this.rows[index] as ToolRow, below, row);
  }

  private index(row: Row, place: Place): void {
    this.places.set(row.key, place);
    if (row.kind === "tool") row.children.forEach((child, index) => this.index(child, [...place, index]));
  }
}

/** Where a row stands: its index, and for each sub-agent that it is in, the index there. */
type Place = readonly number[];

function at(rows: readonly Row[], place: Place): Row {
  const [index, ...below] = place;
  const row = rows[index as number] as Row;
  return below.length === 0 ? row : at((row as ToolRow).children, below);
}

function withBelow(call: ToolRow, place: Place, row: Row): ToolRow {
  const [index, ...below] = place;
  const children = [...call.children];
  const child = children[index as number];
  children[index as number] = below.length === 0 ? row : withBelow(child as ToolRow, below, row);
  return { ...call, children };
}

function base(key: string, event: DurableEvent) {
  return { key, taskId: event.task_id ?? "", time: event.timestamp };
}

function isAsking(toolName: string): boolean {
  return toolName === "AskUserQuestion" || toolName === "ask_user_question" || toolName.endsWith("__ask_user_question");
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function toolKey(toolUseId: string): string {
  return `tool:${toolUseId}`;
}

function blockKey(kind: string, messageId: string | null | undefined, block: number | null | undefined): string | null {
  return messageId == null || block == null ? null : `${kind}:${messageId}:${block}`;
}

function speechKey(event: Text | Thinking, seq: number): string {
  return blockKey(event.type, event.message_id, event.block) ?? `${event.type}:${seq}`;
}

function speech(key: string, event: Text | Thinking): SpeechRow {
  return {
    ...base(key, event),
    kind: event.type,
    text: event.content,
    streaming: false,
    truncated: event.truncated ?? null,
  };
}

function failure(seq: number, event: ErrorEvent): Row {
  return { ...base(`error:${seq}`, event), kind: "error", text: event.content, metadata: event.metadata };
}

function typingCall(key: string, event: Extract<LiveEvent, { type: "tool_input_delta" }>): ToolRow {
  return { ...emptyCall(key, event), name: event.tool_name, typed: event.content };
}

function emptyCall(key: string, event: { task_id: string; timestamp: string; tool_use_id: string }): ToolRow {
  return {
    key,
    taskId: event.task_id,
    time: event.timestamp,
    kind: "tool",
    toolUseId: event.tool_use_id,
    name: "",
    input: {},
    typed: "",
    state: "typing",
    result: null,
    endedAt: null,
    filesChanged: [],
    inputTruncated: null,
    resultTruncated: null,
    children: [],
  };
}

/** The same array if nothing in it was live. */
function withoutLive(rows: readonly Row[]): readonly Row[] {
  let changed = false;
  const kept: Row[] = [];
  for (const row of rows) {
    const isLive = row.kind === "tool" ? row.state === "typing" : "streaming" in row && row.streaming;
    const children = row.kind === "tool" ? withoutLive(row.children) : null;
    if (isLive) changed = true;
    else if (row.kind === "tool" && children !== null && children !== row.children) {
      changed = true;
      kept.push({ ...row, children });
    } else kept.push(row);
  }
  return changed ? kept : rows;
}

function facts(taskId: string, event: Info): TaskFacts {
  const { metadata } = event;
  const text = (name: string) => (typeof metadata[name] === "string" ? metadata[name] : null);
  return {
    taskId,
    prompt: text("prompt") ?? "",
    workingDir: text("working_dir") ?? "",
    model: text("model"),
    tools: Array.isArray(metadata["tools"]) ? metadata["tools"].map(String) : null,
    permissionMode: text("permission_mode") ?? "default",
    offline: metadata["offline"] === true,
    startedAt: event.timestamp,
    complete: null,
  };
}
