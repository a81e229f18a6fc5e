// A command and its terminal.

import { Terminal } from "lucide-react";
import { useTranslation } from "react-i18next";

import { AnsiText } from "@/features/session/thread/parts/ansi-text";
import { clipTail } from "@/features/session/thread/parts/clip";
import { useWholeText } from "@/features/session/thread/parts/whole-text";
import { useThread } from "@/features/session/thread/thread-context";
import { field, inputOf } from "@/features/session/thread/tools/input";
import { Foot, Sunken, Took } from "@/features/session/thread/tools/parts";
import { commandOutput } from "@/features/session/thread/tools/result";
import type { ToolView } from "@/features/session/thread/tools/view";
import type { ToolRow } from "@/shared/events/rows";

export const bash: ToolView = {
  icon: Terminal,
  argument: (input) => ({ text: field(input, "command").split("\n", 1)[0]! }),
  Facts: Took,
  Body: TerminalBody,
  opens: "while running",
};

const LINES_WHILE_RUNNING = 12;
const tail = (text: string) => clipTail(text, LINES_WHILE_RUNNING);

function TerminalBody({ row }: { row: ToolRow }) {
  const { t } = useTranslation();
  const { running } = useThread();
  const { output, exitCode } = commandOutput(row.result ?? "");
  const isRunning = row.state === "running";
  const { text, more } = useWholeText(`${row.key}:result`, output, {
    cut: row.resultTruncated?.["/content"],
    ...(isRunning ? { clip: tail } : {}),
  });
  const isFailed = row.state === "failed" && exitCode !== null;
  return (
    <>
      <Sunken>
        <span className="text-fg-3 select-none">$ </span>
        <span className="text-fg">{field(inputOf(row), "command")}</span>
        {text !== "" && "\n"}
        <AnsiText text={text} failed={row.state === "failed"} />
        {isRunning && running && <span className="caret" />}
      </Sunken>
      {(isFailed || more !== null) && (
        <Foot>
          {isFailed && <span className="text-red-fg">{t("exit_code", { code: exitCode })}</span>}
          {more}
        </Foot>
      )}
    </>
  );
}
