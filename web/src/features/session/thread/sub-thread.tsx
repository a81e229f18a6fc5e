// The rows of a sub-agent, inside its card: few, so all of them are drawn.

import { useMemo } from "react";

import { ItemView } from "@/features/session/thread/item-view";
import { itemsOf } from "@/features/session/thread/items";
import type { Row } from "@/shared/events/rows";

export function SubThread({ rows, since }: { rows: readonly Row[]; since: string }) {
  const items = useMemo(() => itemsOf(rows, since), [rows, since]);
  return (
    <div className="flex flex-col gap-1 py-2.5 pr-3 pl-2.5 [--inset:18px] [--outdent:8px]">
      {items.map((item) => (
        <ItemView key={item.key} item={item} />
      ))}
    </div>
  );
}
