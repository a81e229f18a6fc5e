import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";

import { ApiError, post } from "@/shared/api/client";
import { useSocket } from "@/shared/events/live";
import { Button } from "@/shared/ui/button";
import { Logo } from "@/shared/ui/logo";

/** `refusal`: the code of the error that a link was met with. */
export function SignInPage({ next, refusal }: { next: string; refusal: string | null }) {
  const { t } = useTranslation();
  const router = useRouter();
  const queries = useQueryClient();
  const socket = useSocket();
  const [key, setKey] = useState("");
  const [problem, setProblem] = useState(refusal === null ? null : t("link_refused"));
  const [busy, setBusy] = useState(false);

  async function submit(event: FormEvent) {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      await post("/api/login", { key: key.trim() });
      await queries.invalidateQueries();
      socket.restart();
      router.history.push(next);
    } catch (refused) {
      setProblem(refused instanceof ApiError ? refused.message : t("unreachable"));
    } finally {
      setBusy(false);
    }
  }

  return (
    <main className="grid min-h-full place-items-center bg-canvas p-4">
      <form
        onSubmit={(event) => void submit(event)}
        className="w-full max-w-96 rounded-4 border border-line bg-surface p-6 shadow-1"
      >
        <h1 className="flex items-center gap-2 text-lg">
          <Logo className="size-5" />
          {t("sign_in_title")}
        </h1>
        <p className="mt-2 text-fg-2">{t("sign_in_how")}</p>
        <label htmlFor="key" className="mt-4 block text-fg-2">
          {t("api_key")}
        </label>
        <input
          id="key"
          type="password"
          autoComplete="current-password"
          required
          autoFocus
          value={key}
          onChange={(event) => setKey(event.target.value)}
          aria-invalid={problem !== null}
          aria-describedby={problem === null ? undefined : "key-problem"}
          className="mt-1 h-(--control-h) w-full rounded-2 border border-line-control bg-surface px-2.5 aria-invalid:border-red-edge max-phone:text-[16px]"
        />
        {problem !== null && (
          <p id="key-problem" role="alert" className="mt-1.5 text-red-fg">
            {problem}
          </p>
        )}
        <Button type="submit" look="primary" disabled={busy} className="mt-4 w-full">
          {t("sign_in")}
        </Button>
      </form>
    </main>
  );
}
