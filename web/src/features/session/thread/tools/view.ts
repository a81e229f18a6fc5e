// What a tool shows of itself: in its line, and when it is open.

import type { TFunction } from "i18next";
import type { LucideIcon } from "lucide-react";
import type { ComponentType } from "react";

import type { Input } from "@/features/session/thread/tools/input";
import type { ToolRow } from "@/shared/events/rows";

export type Argument = {
  readonly text: string;
  /** Words of a person's language rather than a path or a command. */
  readonly isProse?: boolean;
};

export type ToolView = {
  readonly icon: LucideIcon;
  /** Its name as people say it; by default the one that Claude Code uses. */
  readonly name?: (input: Input, say: TFunction) => string;
  readonly argument: (input: Input, say: TFunction) => Argument;
  readonly Facts: ComponentType<{ row: ToolRow }>;
  readonly Body: ComponentType<{ row: ToolRow }>;
  /** Whether it opens by itself: while there is something to watch, or for good because it is a change. */
  readonly opens: "always" | "while running" | "on failure";
};
