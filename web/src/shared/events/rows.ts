// What the thread shows, folded from events: one row a thing that a person sees, in the order in which it began.

import type { AskedQuestion, CompleteMetadata, Cut, ErrorMetadata } from "@/shared/api/types.gen";

type Base = {
  /** Stable over the row's life: a list's key, and what a delta finds its row by. */
  readonly key: string;
  readonly taskId: string;
  readonly time: string;
};

export type Truncated = Readonly<Record<string, Cut>>;

export type PromptRow = Base & {
  readonly kind: "prompt";
  readonly text: string;
  readonly round: number;
};

export type Receipt = "accepted" | "delivered" | "consumed" | "refused";

/** What the person said while the task ran, and how far it is on its way. */
export type SaidRow = Base & {
  readonly kind: "said";
  readonly text: string;
  readonly receipt: Receipt;
  readonly reason: string | null;
};

export type SpeechRow = Base & {
  readonly kind: "text" | "thinking";
  readonly text: string;
  /** Still being typed: what is here came in live pieces, and the whole is to follow. */
  readonly streaming: boolean;
  readonly truncated: Truncated | null;
};

export type ToolState = "typing" | "running" | "done" | "failed" | "unknown";

export type ToolRow = Base & {
  readonly kind: "tool";
  readonly toolUseId: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The JSON of the input as far as it has been typed. */
  readonly typed: string;
  readonly state: ToolState;
  readonly result: string | null;
  readonly endedAt: string | null;
  readonly filesChanged: readonly string[];
  readonly inputTruncated: Truncated | null;
  readonly resultTruncated: Truncated | null;
  /** What a sub-agent that this call began has said and done. */
  readonly children: readonly Row[];
};

export type InfoRow = Base & {
  readonly kind: "info";
  readonly text: string;
  readonly metadata: Readonly<Record<string, unknown>>;
};

export type ErrorRow = Base & {
  readonly kind: "error";
  readonly text: string;
  readonly metadata: ErrorMetadata;
};

export type CompleteRow = Base & {
  readonly kind: "complete";
  readonly text: string;
  readonly metadata: CompleteMetadata;
};

export type QuestionState = "pending" | "answered" | "cancelled" | "timeout";

/** A question, and what has become of it. */
export type Asked = {
  readonly question: AskedQuestion;
  readonly state: QuestionState;
  readonly answer: unknown;
  readonly answeredBy: string | null;
  readonly answeredAt: string | null;
  readonly door: string | null;
  readonly reason: string | null;
};

/** The questions of one asking, which go back to the asker together. */
export type AskingRow = Base & {
  readonly kind: "asking";
  readonly asked: readonly Asked[];
};

/** Whether something of it waits for a person. */
export function waits(row: AskingRow): boolean {
  return row.asked.some(({ state }) => state === "pending");
}

export type Row = PromptRow | SaidRow | SpeechRow | ToolRow | InfoRow | ErrorRow | CompleteRow | AskingRow;
