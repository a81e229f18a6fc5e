// What the server says of itself, and whether it takes us for signed in.

import { queryOptions } from "@tanstack/react-query";

import { ApiError, get } from "@/shared/api/client";
import type { Directories, Examples, Status, Tools } from "@/shared/api/names";

export const statusQuery = queryOptions({
  queryKey: ["status"],
  queryFn: ({ signal }) => get<Status>("/api/status", signal),
});

export const toolsQuery = queryOptions({
  queryKey: ["tools"],
  queryFn: ({ signal }) => get<Tools>("/api/tools", signal),
  staleTime: Infinity,
});

export const examplesQuery = queryOptions({
  queryKey: ["examples"],
  queryFn: ({ signal }) => get<Examples>("/api/examples", signal),
});

export function directoriesQuery(prefix: string) {
  return queryOptions({
    queryKey: ["directories", prefix],
    queryFn: ({ signal }) => get<Directories>(`/api/directories?prefix=${encodeURIComponent(prefix)}`, signal),
  });
}

const ANSWERS_WITHIN_MS = 5000;

export async function isSignedIn(): Promise<boolean> {
  try {
    await get<Status>("/api/status", AbortSignal.timeout(ANSWERS_WITHIN_MS));
    return true;
  } catch (problem) {
    return !(problem instanceof ApiError && problem.status === 401);
  }
}
