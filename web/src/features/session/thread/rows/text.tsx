// The agent's voice: prose without a box.

import { useContext } from "react";

import { Voice } from "@/features/session/thread/parts/edge";
import { uncut } from "@/features/session/thread/parts/clip";
import { MoreLine, useWholeText } from "@/features/session/thread/parts/whole-text";
import { DepthContext } from "@/features/session/thread/thread-context";
import type { SpeechRow } from "@/shared/events/rows";
import { Markdown } from "@/shared/markdown/markdown";

export function Text({ row }: { row: SpeechRow }) {
  const depth = useContext(DepthContext);
  const { text, more } = useWholeText(row.key, row.text, { cut: row.truncated?.["/content"], clip: uncut });
  return (
    <Voice edge="bg-(--kind-text) opacity-50">
      <Markdown
        text={text}
        streaming={row.streaming}
        className={depth === 0 ? "text-read leading-(--lh-read)" : "text-md leading-[1.7]"}
      />
      <MoreLine>{more}</MoreLine>
    </Voice>
  );
}
