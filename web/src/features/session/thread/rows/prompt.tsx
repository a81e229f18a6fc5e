// What the person said, below the heading of its round.

import { useId } from "react";

import { Voice } from "@/features/session/thread/parts/edge";
import { MoreLine, useWholeText } from "@/features/session/thread/parts/whole-text";
import type { Folding } from "@/features/session/thread/rounds";
import { RoundHeading } from "@/features/session/thread/rows/round-heading";
import type { PromptRow } from "@/shared/events/rows";

export function Prompt({ row, folding }: { row: PromptRow; folding: Folding }) {
  const { text, more } = useWholeText(row.key, row.text);
  const body = useId();
  return (
    <>
      <RoundHeading row={row} folding={folding} body={body} />
      {folding !== "folded" && (
        <div id={body} className="mt-(--gap-msg)">
          <Voice edge="bg-(--kind-user)" full>
            <div className="-ml-2 rounded-3 bg-said px-3.5 py-2.5 text-read leading-(--lh-read) max-phone:-ml-1.75">
              <p className="wrap-anywhere whitespace-pre-wrap">{text}</p>
              <MoreLine>{more}</MoreLine>
            </div>
          </Voice>
        </div>
      )}
    </>
  );
}
