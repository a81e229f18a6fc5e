// A directory's trust: what would run, by kind and with its file, and the three ways to go on. No key trusts by itself.

import { ShieldQuestion } from "lucide-react";
import { useTranslation } from "react-i18next";

import { PanelFrame, Problem } from "@/features/session/thread/questions/frame";
import { byKind, type Runs } from "@/features/session/thread/questions/runs";
import type { Answering } from "@/features/session/thread/questions/use-answer";
import type { AskedQuestion } from "@/shared/api/types.gen";
import { Button } from "@/shared/ui/button";

export function TrustPanel({ question, answering }: { question: AskedQuestion; answering: Answering }) {
  const { t } = useTranslation();
  const { send, busy, problem } = answering;
  const answer = (choice: string) => void send({ questionId: question.question_id, answer: choice });
  const groups = byKind(question.runs ?? []);
  const shown = question.runs?.length ?? 0;
  const total = question.runs_total ?? shown;
  return (
    <PanelFrame
      icon={<ShieldQuestion aria-hidden size={16} strokeWidth={1.5} />}
      title={t("trust_title")}
      aside={<span className="text-sm text-fg-2">{t("trust_count", { count: total })}</span>}
    >
      <div className="grid grid-cols-1 gap-3 px-4 pt-3.5 pb-4">
        <div>
          <p className="font-mono text-code break-all text-fg">{question.directory}</p>
          <p className="mt-1 leading-[1.65] text-fg-2">{t("trust_what_for")}</p>
        </div>
        {groups.map(({ kind, runs }) => (
          <section key={kind} aria-label={t(`trust_kind_${kind}`)}>
            <h4 className="flex items-baseline gap-2 border-b border-line-soft pb-1 text-sm text-fg-2">
              {t(`trust_kind_${kind}`)}
              <span className="text-fg-3 tabular-nums">{runs.length}</span>
            </h4>
            <ul>
              {runs.map((each, place) => (
                <Thing key={place} runs={each} />
              ))}
            </ul>
          </section>
        ))}
        {total > shown && <p className="text-fg-2">{t("trust_more", { count: total - shown })}</p>}
        <p className="text-sm text-fg-3">{t("trust_remembered")}</p>
      </div>
      <Problem>{problem}</Problem>
      <footer className="sticky bottom-0 flex flex-wrap items-center justify-end gap-2 rounded-b-[11px] border-t border-line-soft bg-raised px-4 py-3">
        <Button look="ghost" disabled={busy} onClick={() => answer("cancel")} className="mr-auto max-phone:h-11 max-phone:flex-1">
          {t("trust_cancel")}
        </Button>
        <Button disabled={busy} onClick={() => answer("without")} className="max-phone:h-11 max-phone:flex-1">
          {t("trust_without")}
        </Button>
        <Button look="primary" disabled={busy} onClick={() => answer("trust")} className="max-phone:order-first max-phone:h-11 max-phone:w-full">
          {t("trust_trust")}
        </Button>
      </footer>
    </PanelFrame>
  );
}

function Thing({ runs: { name, path, what } }: { runs: Runs }) {
  return (
    <li className="border-b border-line-soft py-1.5 last:border-b-0">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <b className="font-mono text-code break-all">{name}</b>
        <span className="font-mono text-sm break-all text-fg-3">{path}</span>
      </p>
      {what !== "" && (
        <pre className="mt-0.5 font-mono text-code leading-(--lh-code) break-all whitespace-pre-wrap text-fg-2">{what}</pre>
      )}
    </li>
  );
}
