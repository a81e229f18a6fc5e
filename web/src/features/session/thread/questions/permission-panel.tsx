// A permission: exactly what would run, and the ways to answer. Nothing is chosen in advance, and no key allows by itself.

import { Shield } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";

import { alikeTo, sameFor } from "@/features/session/thread/questions/alike";
import { useAskings } from "@/features/session/thread/questions/askings";
import { PanelFrame, Problem } from "@/features/session/thread/questions/frame";
import type { Answering } from "@/features/session/thread/questions/use-answer";
import { DiffView } from "@/features/session/thread/parts/diff-view";
import type { AskedQuestion } from "@/shared/api/types.gen";
import { Button } from "@/shared/ui/button";

export function PermissionPanel({ question, answering }: { question: AskedQuestion; answering: Answering }) {
  const { t } = useTranslation();
  const { send, busy, problem } = answering;
  const [reason, setReason] = useState("");
  const [edited, setEdited] = useState<string | null>(null);
  const [malformed, setMalformed] = useState(false);
  const input = question.tool_input ?? {};
  const alike = alikeTo(question, useAskings().pending);
  // Those that were there to be read when it was ticked; what comes after is asked by itself.
  const [together, setTogether] = useState<readonly string[]>([]);
  const others = edited === null ? alike.filter(({ question_id }) => together.includes(question_id)) : [];

  function answer(choice: string) {
    let updatedInput: Record<string, unknown> | undefined;
    // What is denied does not run, however it was edited.
    if (edited !== null && choice !== "deny") {
      try {
        updatedInput = JSON.parse(edited) as Record<string, unknown>;
      } catch {
        setMalformed(true);
        return;
      }
    }
    void send(
      { questionId: question.question_id, answer: choice, reason, ...(updatedInput === undefined ? {} : { updatedInput }) },
      others.map((other) => sameFor(other, question, choice, reason)),
    );
  }

  return (
    <PanelFrame
      icon={<Shield aria-hidden size={16} strokeWidth={1.5} />}
      title={t("asks_permission")}
      aside={
        <span className="text-sm text-fg-2">
          {question.tool_name}
          {question.agent_id != null && ` · ${t("from_sub_agent")}`}
        </span>
      }
    >
      <div className="grid grid-cols-1 gap-2.5 px-4 py-3.5">
        <p className="leading-[1.65] text-fg-2">{question.question_text}</p>
        <div className="overflow-hidden rounded-3 border border-line-soft bg-sunken">
          <p className="flex items-center px-3 pt-1.5 text-sm text-fg-3">
            {t("would_run")}
            <Button
              look="ghost"
              small
              className="ml-auto"
              onClick={() => setEdited(edited === null ? JSON.stringify(input, null, 2) : null)}
            >
              {edited === null ? t("edit_call") : t("back")}
            </Button>
          </p>
          {edited === null ? (
            <Call name={question.tool_name ?? ""} input={input} />
          ) : (
            <textarea
              aria-label={t("edit_call")}
              aria-invalid={malformed}
              rows={6}
              spellCheck={false}
              value={edited}
              onChange={(event) => {
                setMalformed(false);
                setEdited(event.target.value);
              }}
              className="block w-full resize-y bg-transparent px-3 pb-2.5 font-mono text-code outline-none"
            />
          )}
        </div>
        {malformed && (
          <p role="alert" className="text-red-fg">
            {t("not_json")}
          </p>
        )}
        {alike.length > 0 && edited === null && (
          <Alike
            alike={others.length > 0 ? others : alike}
            isChosen={others.length > 0}
            onChoose={(isChosen) => setTogether(isChosen ? alike.map(({ question_id }) => question_id) : [])}
          />
        )}
      </div>
      <Problem>{problem}</Problem>
      <footer className="sticky bottom-0 flex flex-wrap items-center gap-2 rounded-b-[11px] border-t border-line-soft bg-raised px-4 py-3">
        <Button look="primary" disabled={busy} onClick={() => answer("allow")} className="max-phone:h-11 max-phone:w-full">
          {t("allow_once")}
        </Button>
        <Button disabled={busy} onClick={() => answer("allow_session")} className="h-auto! min-h-(--control-h) max-w-full flex-wrap py-1 whitespace-normal! max-phone:min-h-11 max-phone:w-full">
          {t("allow_session")}
          {question.scope != null && <code className="text-[12px] break-all text-fg-3">{question.scope}</code>}
        </Button>
        <span className="flex min-w-60 flex-1">
          <input
            aria-label={t("deny_reason")}
            placeholder={t("deny_reason")}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
            className="h-(--control-h) min-w-0 flex-1 rounded-l-2 border border-r-0 border-line-control bg-surface px-2.5 max-phone:h-11 max-phone:text-[16px]"
          />
          <Button look="danger" disabled={busy} onClick={() => answer("deny")} className="rounded-l-none border-line-control max-phone:h-11">
            {t("deny")}
          </Button>
        </span>
      </footer>
    </PanelFrame>
  );
}

type AlikeProps = { alike: readonly AskedQuestion[]; isChosen: boolean; onChoose: (isChosen: boolean) => void };

/** Each of them in full: nobody allows what could not be read. */
function Alike({ alike, isChosen, onChoose }: AlikeProps) {
  const { t } = useTranslation();
  return (
    <div className="overflow-hidden rounded-3 border border-line-soft">
      <label className="flex min-h-9 cursor-pointer items-center gap-2.5 px-3 hover:bg-hover max-phone:min-h-11">
        <input
          type="checkbox"
          checked={isChosen}
          onChange={(event) => onChoose(event.target.checked)}
          className="size-4 accent-purple-fg"
        />
        {t("same_for_others", { count: alike.length })}
      </label>
      <ul tabIndex={0} aria-label={t("the_others")} className="max-h-48 divide-y divide-line-soft overflow-y-auto border-t border-line-soft bg-sunken pt-1.5">
        {alike.map((other) => (
          <li key={other.question_id} className="pt-1.5 first:pt-0">
            <Call name={other.tool_name ?? ""} input={other.tool_input ?? {}} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Call({ name, input }: { name: string; input: Readonly<Record<string, unknown>> }) {
  const text = (key: string) => (typeof input[key] === "string" ? input[key] : null);
  const command = text("command");
  if (command !== null) return <Pre>{`$ ${command}`}</Pre>;
  const [before, after] = [text("old_string"), text("new_string")];
  if (before !== null && after !== null) {
    return (
      <>
        <Pre>{text("file_path") ?? name}</Pre>
        <DiffView before={before} after={after} path={text("file_path") ?? ""} />
      </>
    );
  }
  return <Pre>{JSON.stringify(input, null, 2)}</Pre>;
}

function Pre({ children }: { children: string }) {
  return <pre className="overflow-x-auto px-3 pb-2.5 font-mono text-code leading-(--lh-code) whitespace-pre-wrap [overflow-wrap:anywhere]">{children}</pre>;
}
