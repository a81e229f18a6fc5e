// What became of a question, in one line: the question, its answer, by whom and through which door.

import type { TFunction } from "i18next";
import { CircleHelp } from "lucide-react";
import { useTranslation } from "react-i18next";

import { AskAgain } from "@/features/session/thread/questions/ask-again";
import { wordsOf } from "@/features/session/thread/questions/draft";
import { subjectOf } from "@/features/session/thread/questions/subject";
import type { AskedQuestion } from "@/shared/api/types.gen";
import type { Asked } from "@/shared/events/rows";
import { moment } from "@/shared/format";
import { usePreferences } from "@/shared/preferences";

export function Settled({ asked }: { asked: Asked }) {
  const { t } = useTranslation();
  const language = usePreferences((chosen) => chosen.language);
  const { question, answeredAt, reason } = asked;
  return (
    <p className="flex min-h-7 min-w-0 flex-wrap items-center gap-x-2 text-fg-2">
      <CircleHelp aria-hidden size={16} strokeWidth={1.5} className="shrink-0 text-purple-fg" />
      <span className="max-w-full truncate">{subjectOf(question, t)}</span>
      <b className="max-w-full min-w-0 truncate text-fg">{outcome(asked, t)}</b>
      {reason !== null && <span className="max-w-full truncate">{reason}</span>}
      <span className="text-sm text-fg-3" title={answeredAt === null ? undefined : moment(answeredAt, language)}>
        {byWhom(asked, t)}
      </span>
      {isDecided(asked) && <AskAgain directory={question.directory ?? ""} />}
    </p>
  );
}

const STATES = { pending: "asked_pending", cancelled: "asked_cancelled", timeout: "asked_timeout" } as const;
/** Fixed ids have words of the page's own, in its language. */
const FIXED = {
  allow: "allow_once",
  allow_session: "allow_session",
  deny: "deny",
  approve: "approve_plan",
  approve_accept_edits: "approve_accept_edits",
  keep_planning: "keep_planning",
  trust: "trust_trust",
  without: "trust_without",
  cancel: "trust_cancel",
} as const;
const HAS_FIXED: readonly AskedQuestion["kind"][] = ["permission", "plan_approval", "trust"];

/** A decision about a directory is remembered; to cancel the task is none. */
function isDecided({ question, state, answer }: Asked): boolean {
  return question.kind === "trust" && state === "answered" && answer !== "cancel" && question.directory != null;
}

export function outcome({ question, state, answer }: Asked, t: TFunction): string {
  if (state !== "answered") return t(STATES[state]);
  if (typeof answer === "boolean") return t(answer ? "yes" : "no");
  const isFixed = HAS_FIXED.includes(question.kind);
  if (isFixed && typeof answer === "string" && answer in FIXED) return t(FIXED[answer as keyof typeof FIXED]);
  return wordsOf(question, answer).join(t("list_joint")) || t("asked_empty");
}

const NOBODY = { default: "by_default", elsewhere: "by_elsewhere", task_end: "by_task_end", limit: "by_limit", nobody: "by_nobody" } as const;
const DOORS = {
  console: "door_console",
  api: "door_api",
  websocket: "door_websocket",
  cli: "door_cli",
  mcp: "door_mcp",
} as const;

function byWhom({ answeredBy, door }: Asked, t: TFunction): string {
  if (answeredBy !== null && answeredBy in NOBODY) return t(NOBODY[answeredBy as keyof typeof NOBODY]);
  return door !== null && door in DOORS ? t(DOORS[door as keyof typeof DOORS]) : "";
}
