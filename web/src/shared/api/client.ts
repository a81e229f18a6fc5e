// Requests to the server, and its errors as it says them. One place knows what a refusal means.

import type { ErrorBody } from "@/shared/api/types.gen";

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly retryAfterS: number | null,
  ) {
    super(message);
  }
}

/** Nothing answered: no network, or no server. */
export class Unreachable extends Error {}

let language = "zh";
let onSignedOut: () => void = () => {};

export function speak(chosen: string): void {
  language = chosen;
}

export function whenSignedOut(act: () => void): void {
  onSignedOut = act;
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return request<T>("GET", path, undefined, signal);
}

export async function getText(path: string, signal?: AbortSignal): Promise<string> {
  return (await send("GET", path, undefined, signal)).text();
}

export async function post<T>(path: string, body?: unknown): Promise<T> {
  return request<T>("POST", path, body);
}

export async function del<T>(path: string): Promise<T> {
  return request<T>("DELETE", path);
}

async function request<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  return (await (await send(method, path, body, signal)).json()) as T;
}

async function send(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(path, {
      method,
      credentials: "same-origin",
      headers: {
        "Accept-Language": language,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (problem) {
    if (problem instanceof DOMException && problem.name === "AbortError") throw problem;
    throw new Unreachable(String(problem));
  }
  if (answer.ok) return answer;
  const error = await errorOf(answer);
  if (error.status === 401 && path !== "/api/login") onSignedOut();
  throw error;
}

async function errorOf(answer: Response): Promise<ApiError> {
  const wait = Number(answer.headers.get("retry-after"));
  const retryAfterS = Number.isFinite(wait) && wait > 0 ? wait : null;
  try {
    const body = (await answer.json()) as ErrorBody;
    return new ApiError(answer.status, body.error, body.message, retryAfterS);
  } catch {
    // A proxy on the way answered, not the server.
    return new ApiError(answer.status, "unreadable", `HTTP ${answer.status}`, retryAfterS);
  }
}
