// What an MCP server wants agreed to: in its own words, with the page that it names shown whole. No key agrees by itself.

import { ExternalLink, Plug } from "lucide-react";
import { useTranslation } from "react-i18next";

import { PanelFrame, Problem } from "@/features/session/thread/questions/frame";
import type { Answering } from "@/features/session/thread/questions/use-answer";
import type { AskedQuestion } from "@/shared/api/types.gen";
import { webPage } from "@/shared/markdown/links";
import { Button } from "@/shared/ui/button";

const ACCEPT = "accept";
const DECLINE = "decline";

/** One question, whose answer is to agree or not; anything else is a form. */
export function asksToAgree(questions: readonly AskedQuestion[]): boolean {
  const ids = (questions[0]?.options ?? []).map(({ id }) => id);
  return questions.length === 1 && ids.length === 2 && ids.includes(ACCEPT) && ids.includes(DECLINE);
}

export function ElicitationPanel({ question, answering }: { question: AskedQuestion; answering: Answering }) {
  const { t } = useTranslation();
  const { send, busy, problem } = answering;
  const answer = (choice: string) => void send({ questionId: question.question_id, answer: choice });
  const label = (id: string) => question.options?.find((option) => option.id === id)?.label;
  return (
    <PanelFrame
      icon={<Plug aria-hidden size={16} strokeWidth={1.5} />}
      title={t("server_asks")}
      aside={<span className="max-w-full truncate text-sm text-fg-2">{question.mcp_server}</span>}
    >
      <div className="grid grid-cols-1 gap-2.5 px-4 py-3.5">
        <p className="leading-[1.65] break-words whitespace-pre-wrap">{question.message ?? question.question_text}</p>
        {question.url != null && <Page address={question.url} />}
        <p className="text-sm text-fg-3">{t("server_words")}</p>
      </div>
      <Problem>{problem}</Problem>
      <footer className="sticky bottom-0 flex flex-wrap items-center justify-end gap-2 rounded-b-[11px] border-t border-line-soft bg-raised px-4 py-3">
        <Button look="danger" disabled={busy} onClick={() => answer(DECLINE)} className="max-phone:h-11 max-phone:flex-1">
          {label(DECLINE)}
        </Button>
        <Button look="primary" disabled={busy} onClick={() => answer(ACCEPT)} className="max-phone:h-11 max-phone:flex-1">
          {label(ACCEPT)}
        </Button>
      </footer>
    </PanelFrame>
  );
}

/** Whole, with the host told apart: what stands before an @, or far to the right, is not where it leads. */
function Page({ address }: { address: string }) {
  const { t } = useTranslation();
  const page = webPage(address);
  if (page === null) {
    return (
      <div className="rounded-3 border border-line-soft bg-sunken px-3 py-2.5">
        <p className="font-mono text-code break-all">{address}</p>
        <p className="mt-1 text-sm text-red-fg">{t("page_not_opened")}</p>
      </div>
    );
  }
  const [before, after] = [page.href.slice(0, page.hostAt), page.href.slice(page.hostAt + page.host.length)];
  return (
    <div className="rounded-3 border border-line-soft bg-sunken px-3 py-2.5">
      <p className="text-sm text-fg-3">{t("page_to_open")}</p>
      <p className="mt-1 font-mono text-code break-all text-fg-2">
        {before}
        <b className="text-fg">{page.host}</b>
        {after}
      </p>
      <Button asChild className="mt-2 max-phone:h-11">
        <a href={page.href} target="_blank" rel="noopener noreferrer">
          <ExternalLink aria-hidden size={14} strokeWidth={1.5} />
          {t("open_page", { host: page.host })}
        </a>
      </Button>
    </div>
  );
}
