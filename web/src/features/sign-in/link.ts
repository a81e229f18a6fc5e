// A link's one-time code stands behind the #, which no server and no log ever sees; it goes from the address, too.

import { ApiError, post } from "@/shared/api/client";

/** What the server said against the code, if it did. */
export async function signInByLink(): Promise<string | null> {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (code === null) return null;
  history.replaceState(null, "", location.pathname + location.search);
  try {
    await post("/api/login", { key: code });
    return null;
  } catch (problem) {
    return problem instanceof ApiError ? problem.code : "unreachable";
  }
}
