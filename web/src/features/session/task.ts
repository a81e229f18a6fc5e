// Asking the server for a task and for its end. What comes of it is learnt from the socket alone.

import type { TaskRequest, TaskState } from "@/shared/api/names";
import { ApiError, del, post, Unreachable } from "@/shared/api/client";
import type { PermissionMode } from "@/shared/draft";

export type Asked = {
  readonly taskId: string;
  readonly prompt: string;
  readonly workingDir: string;
  readonly tools: readonly string[] | null;
  readonly permissionMode: PermissionMode;
  readonly continueConversation: boolean;
  /** The session that is shown, to go on with. */
  readonly sessionId: string | null;
};

/** The same `taskId` again is the same task: a request whose answer was lost can be repeated. */
export async function startTask(asked: Asked): Promise<TaskState> {
  const request: TaskRequest = {
    prompt: asked.prompt,
    task_id: asked.taskId,
    permission_mode: asked.permissionMode,
    wait_s: 0,
    ...(asked.tools === null ? {} : { tools: asked.tools }),
    ...(asked.sessionId === null
      ? {
          ...(asked.workingDir === "" ? {} : { working_dir: asked.workingDir }),
          ...(asked.continueConversation ? { continue_conversation: true } : {}),
        }
      : { resume: asked.sessionId }),
  };
  return post<TaskState>("/api/task?deltas=true", request);
}

export async function stopTask(taskId: string): Promise<TaskState> {
  return del<TaskState>(`/api/task/${taskId}`);
}

/** Have a parked task go on now. */
export async function unparkTask(taskId: string): Promise<TaskState> {
  return post<TaskState>(`/api/task/${taskId}/continue`);
}

export type Field = "prompt" | "workingDir" | "tools" | "permissionMode";

export type Refusal =
  | { readonly kind: "field"; readonly field: Field; readonly message: string }
  | { readonly kind: "too_often"; readonly message: string; readonly retryAfterS: number }
  | { readonly kind: "request"; readonly message: string }
  | { readonly kind: "unreachable" };

const FIELD_OF: Readonly<Record<string, Field>> = {
  prompt_empty: "prompt",
  prompt_too_long: "prompt",
  working_dir_invalid: "workingDir",
  tools_invalid: "tools",
};

/** What a person can do about it decides where it is shown. */
export function refusalOf(problem: unknown): Refusal {
  if (problem instanceof Unreachable) return { kind: "unreachable" };
  if (!(problem instanceof ApiError)) throw problem;
  if (problem.code === "rate_limited") {
    return { kind: "too_often", message: problem.message, retryAfterS: problem.retryAfterS ?? 60 };
  }
  const field = problem.message.includes("permission_mode") ? "permissionMode" : FIELD_OF[problem.code];
  return field === undefined ? { kind: "request", message: problem.message } : { kind: "field", field, message: problem.message };
}
