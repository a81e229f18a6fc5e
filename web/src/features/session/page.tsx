// The current session: what was asked, what came of it, and the next thing to ask.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";

import { Composer } from "@/features/session/composer";
import { useDraft } from "@/shared/draft";
import { FirstRun } from "@/features/session/first-run";
import { InformationBar } from "@/features/session/information-bar";
import { RefusedRequest, TooOftenDialog } from "@/features/session/refusals";
import { SessionBar } from "@/features/session/session-bar";
import { StatusLine } from "@/features/session/status-line";
import { standing, type Standing } from "@/features/session/standing";
import { useTabs } from "@/features/session/tabs";
import { refusalOf, startTask, stopTask, unparkTask, type Asked, type Refusal } from "@/features/session/task";
import { statusQuery } from "@/shared/api/status";
import { useConnection, useSession, useTasks } from "@/shared/events/live";
import { useTitle } from "@/shared/events/waiting";
import { newUuid } from "@/shared/uuid";

// Apart from the first load: a page without a session can be typed in before all that shows one has come.
const loadThread = () => import("@/features/session/thread");
const Thread = lazy(async () => ({ default: (await loadThread()).Thread }));

const STOP_TWICE_MS = 1500;

export function SessionPage({ sessionId }: { sessionId: string | null }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const feed = useSession(sessionId);
  const connection = useConnection();
  const tasks = useTasks((state) => state.byId);
  const { data: status } = useQuery(statusQuery);
  const { prompt, change } = useDraft();
  const showTab = useTabs((state) => state.show);

  const [sending, setSending] = useState(false);
  const [stopping, setStopping] = useState<string | null>(null);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [clearedUpTo, setClearedUpTo] = useState(0);
  // Of a request whose answer was lost: repeated with the same id, it cannot begin a second task.
  const unanswered = useRef<Asked | null>(null);

  const now = useSame(standing(feed?.fold ?? null, tasks, { sending, stopping, connection, sessionId }));
  const all = feed === null ? [] : [...feed.fold.tasks.values()];
  const title = all[0]?.prompt;
  useEffect(() => {
    if (sessionId !== null && title !== undefined) showTab({ sessionId, title });
  }, [sessionId, title, showTab]);
  useTitle(titleOf(now, title), now.word === "waiting" ? sessionId : null);

  const send = useCallback(
    async (repeated?: Asked) => {
      const draft = useDraft.getState();
      const asked = repeated ?? { ...draft, taskId: newUuid(), sessionId };
      if (asked.prompt.trim() === "") {
        setRefusal({ kind: "field", field: "prompt", message: t("prompt_empty") });
        return;
      }
      setSending(true);
      setRefusal(null);
      unanswered.current = null;
      try {
        const task = await startTask(asked);
        useTasks.getState().put(task);
        change({ continueConversation: false });
        // What was sent by a button of its own is not what is being written.
        if (useDraft.getState().prompt === asked.prompt) change({ prompt: "" });
        if (task.session_id !== sessionId) {
          await navigate({ to: "/session/$sessionId", params: { sessionId: task.session_id } });
        }
      } catch (problem) {
        const refused = refusalOf(problem);
        if (refused.kind === "unreachable") unanswered.current = asked;
        setRefusal(refused);
      } finally {
        setSending(false);
      }
    },
    [change, navigate, sessionId, t],
  );

  const sendPrompt = useCallback(
    (words: string) => void send({ ...useDraft.getState(), prompt: words, taskId: newUuid(), sessionId }),
    [send, sessionId],
  );
  const sendDraft = useCallback(() => void send(), [send]);
  const lastPrompt = all.at(-1)?.prompt ?? "";
  const sendLast = useCallback(() => sendPrompt(lastPrompt), [lastPrompt, sendPrompt]);
  const goOn = useCallback(() => sendPrompt(t("continue_prompt")), [sendPrompt, t]);

  const stop = useCallback(async () => {
    if (now.taskId === null) return;
    setStopping(now.taskId);
    try {
      useTasks.getState().put(await stopTask(now.taskId));
    } catch (problem) {
      setRefusal(refusalOf(problem));
    } finally {
      setStopping(null);
    }
  }, [now.taskId]);

  const unpark = useCallback(async () => {
    if (now.taskId === null) return;
    try {
      useTasks.getState().put(await unparkTask(now.taskId));
    } catch (problem) {
      setRefusal(refusalOf(problem));
    }
  }, [now.taskId]);

  const begin = useCallback(() => {
    setRefusal(null);
    change({ prompt: "", continueConversation: false });
    void queries.invalidateQueries({ queryKey: ["directories"] });
    void navigate({ to: "/" });
  }, [change, navigate, queries]);

  const clear = useCallback(() => {
    setRefusal(null);
    if (now.isBusy) setClearedUpTo(feed?.fold.last ?? 0);
    else void navigate({ to: "/" });
  }, [feed, navigate, now.isBusy]);

  const forgive = useCallback(() => setRefusal(null), []);

  useEffect(() => void loadThread(), []);
  useShortcuts({ clear, stop: now.isBusy && now.word !== "waiting" ? stop : null });

  const isEmpty = sessionId === null || (feed !== null && feed.isCaughtUp && feed.fold.rows.length === 0);
  return (
    <div className="grid h-full min-h-0 grid-cols-1 grid-rows-[auto_auto_minmax(0,1fr)]">
      <SessionBar sessionId={sessionId} title={title} mark={now.mark} onNew={begin} />
      <InformationBar
        sessionId={sessionId}
        workingDir={all.at(-1)?.workingDir ?? ""}
        refusal={refusal}
        isBusy={now.isBusy}
        onNew={begin}
      />
      <section aria-label={t("session")} className="grid min-h-0 min-w-0 grid-cols-1 grid-rows-[minmax(0,1fr)_auto]">
        {isEmpty || feed === null ? (
          <FirstRun offline={status?.offline === true} onTry={(example) => change(example)} />
        ) : (
          <Suspense fallback={<div />}>
            <Thread
              feed={feed}
              running={now.isBusy && now.word !== "not_known"}
              clearedUpTo={clearedUpTo}
              onRetry={sendLast}
            />
          </Suspense>
        )}
        <div className="mx-auto w-full max-w-[calc(var(--thread-w)+48px)] px-6 pb-4 max-phone:px-3 max-phone:pb-[max(8px,env(safe-area-inset-bottom))]">
          {refusal !== null && (refusal.kind === "request" || refusal.kind === "unreachable") && (
            <RefusedRequest
              refusal={refusal}
              onRetry={() => void send(unanswered.current ?? undefined)}
              onClose={forgive}
            />
          )}
          <StatusLine
            now={now}
            facts={all.find((facts) => facts.taskId === now.taskId)}
            sessionId={sessionId}
            offline={status?.offline === true}
            onContinue={goOn}
            onUnpark={unpark}
          />
          <Composer
            now={now}
            prompt={prompt}
            placeholder={t(isEmpty ? "describe_or_choose" : "describe")}
            sendingIsOff={connection.state === "offline" ? t("offline_hint") : null}
            bypass={status?.bypass === true}
            problem={refusal?.kind === "field" && refusal.field === "prompt" ? refusal.message : null}
            onSend={sendDraft}
            onStop={stop}
            onClear={clear}
            onEdit={forgive}
          />
        </div>
      </section>
      {refusal?.kind === "too_often" && (
        <TooOftenDialog
          message={refusal.message}
          retryAfterS={refusal.retryAfterS}
          onSend={sendDraft}
          onClose={forgive}
        />
      )}
    </div>
  );
}

function titleOf(now: Standing, title: string | undefined): string {
  const name = title === undefined ? "Glasshouse" : `${[...title].slice(0, 30).join("")} · Glasshouse`;
  return now.isBusy && now.word !== "waiting" ? `● ${name}` : name;
}

/** The same object while it says the same: what is drawn of it is not drawn again with every event. */
function useSame(now: Standing): Standing {
  const [kept, setKept] = useState(now);
  const isSame = (Object.keys(now) as (keyof Standing)[]).every((name) => now[name] === kept[name]);
  if (!isSame) setKept(now);
  return isSame ? kept : now;
}

/** Ctrl+L clears; Esc twice stops, but not what waits for an answer: there Esc is a way out of a field. */
function useShortcuts({ clear, stop }: { clear: () => void; stop: (() => Promise<void>) | null }) {
  const escapedAt = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const act = (event: KeyboardEvent) => {
      if (event.ctrlKey && event.key.toLowerCase() === "l") {
        event.preventDefault();
        clear();
      } else if (event.key === "Escape" && stop !== null && !event.defaultPrevented) {
        const twice = event.timeStamp - escapedAt.current < STOP_TWICE_MS;
        escapedAt.current = twice ? Number.NEGATIVE_INFINITY : event.timeStamp;
        if (twice) void stop();
      }
    };
    addEventListener("keydown", act);
    return () => removeEventListener("keydown", act);
  }, [clear, stop]);
}
