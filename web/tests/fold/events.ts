// A session's events as a test says them: numbered, timed a second apart.

import type { Failure, QuestionState, TaskStatus } from "@/shared/api/types.gen";
import type { DurableEvent, LiveEvent } from "@/shared/events/events";

const SESSION = "a0000000-0000-4000-8000-000000000001";
const START = Date.parse("2026-02-16T14:00:00.000Z");

export type Numbered = { readonly seq: number; readonly event: DurableEvent };
type Extra = Readonly<Record<string, unknown>>;

export class Script {
  task = "task-1";
  private seq = 0;
  private seconds = 0;

  wait(seconds: number): this {
    this.seconds += seconds;
    return this;
  }

  prompt(text: string, extra: Extra = {}): Numbered {
    return this.durable("info", {
      content: "started",
      metadata: { prompt: text, working_dir: "/work/shop", ...extra },
    });
  }

  info(text: string, metadata: Extra = {}): Numbered {
    return this.durable("info", { content: text, metadata });
  }

  text(content: string, extra: Extra = {}): Numbered {
    return this.durable("text", { content, ...extra });
  }

  thinking(content: string, extra: Extra = {}): Numbered {
    return this.durable("thinking", { content, ...extra });
  }

  call(id: string, name: string, input: Extra = {}, extra: Extra = {}): Numbered {
    return this.durable("tool_use", { content: name, tool_use_id: id, tool_name: name, tool_input: input, ...extra });
  }

  result(id: string, content: string, extra: Extra = {}): Numbered {
    return this.durable("tool_result", { content, tool_use_id: id, is_error: false, ...extra });
  }

  /** One question of the asking `group`. */
  asks(question: Extra, group = "q", extra: Extra = {}): Numbered {
    const whole = { type: "multiple_choice", kind: "question", group: { id: group, index: 1, total: 1 }, ...question };
    return this.durable("ask_user_question", { content: question["question_text"], question: whole, ...extra });
  }

  /** What became of a question. */
  changes(questionId: string, state: QuestionState, change: Extra = {}): Numbered {
    const by = { answered_by: "person", answered_at: "2026-02-16T14:09:00.000Z", door: "console", way: null };
    return this.info(state, { question: { question_id: questionId, state, answer: null, ...by, ...change } });
  }

  error(content: string, error: Failure = "engine_failed", detail: string | null = null): Numbered {
    return this.durable("error", { content, metadata: { error, detail } });
  }

  complete(status: TaskStatus = "completed", extra: Extra = {}): Numbered {
    const metadata = { session_id: SESSION, status, is_error: status !== "completed", files_changed: [], ...extra };
    return this.durable("complete", { content: status, metadata });
  }

  live(type: LiveEvent["type"], content: string, extra: Extra = {}): LiveEvent {
    return { ...this.stamp(), type, content, ...extra } as unknown as LiveEvent;
  }

  private durable(type: DurableEvent["type"], fields: Extra): Numbered {
    this.seq += 1;
    return { seq: this.seq, event: { ...this.stamp(), type, ...fields } as unknown as DurableEvent };
  }

  private stamp() {
    this.seconds += 1;
    const timestamp = new Date(START + this.seconds * 1000).toISOString();
    return { session_id: SESSION, task_id: this.task, timestamp };
  }
}
