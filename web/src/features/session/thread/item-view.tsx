// An item of the thread as what one sees: one renderer a kind. A kind without one does not compile.

import { memo } from "react";

import type { Item } from "@/features/session/thread/items";
import type { Folding } from "@/features/session/thread/rounds";
import { Asking } from "@/features/session/thread/questions/asking";
import { CompleteLine } from "@/features/session/thread/rows/complete";
import { ErrorMessage } from "@/features/session/thread/rows/error";
import { InfoLine } from "@/features/session/thread/rows/info";
import { Lookups } from "@/features/session/thread/rows/lookups";
import { Prompt } from "@/features/session/thread/rows/prompt";
import { Said } from "@/features/session/thread/rows/said";
import { Text } from "@/features/session/thread/rows/text";
import { Thinking } from "@/features/session/thread/rows/thinking";
import { ToolCard } from "@/features/session/thread/tools/card";
import type { Row } from "@/shared/events/rows";

export function ItemView({ item, folding = "never" }: { item: Item; folding?: Folding | undefined }) {
  switch (item.kind) {
    case "row":
      return <RowView row={item.row} since={item.since} folding={folding} />;
    case "lookups":
      return <Lookups foldKey={item.key} rows={item.rows} />;
  }
}

type RowProps = { row: Row; since: string | null; folding: Folding };

// A row is replaced when it changes, so the same row is the same picture.
const RowView = memo(function RowView({ row, since, folding }: RowProps) {
  switch (row.kind) {
    case "prompt":
      return <Prompt row={row} folding={folding} />;
    case "said":
      return <Said row={row} />;
    case "text":
      return <Text row={row} />;
    case "thinking":
      return <Thinking row={row} since={since} />;
    case "tool":
      return <ToolCard row={row} />;
    case "info":
      return <InfoLine row={row} />;
    case "error":
      return <ErrorMessage row={row} />;
    case "complete":
      return <CompleteLine row={row} />;
    case "asking":
      return <Asking row={row} />;
  }
});
