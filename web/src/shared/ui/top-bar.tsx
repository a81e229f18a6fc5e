// The bar on top of every page: the menu's button, the page's name, what belongs to the page, theme and language.

import type { ReactNode } from "react";

import { Appearance } from "@/shared/ui/appearance";
import { MenuToggleButton } from "@/shared/ui/menu-toggle";

/** `onPhone` stands there instead of the title and what belongs to it; theme and language are in the menu then. */
export function TopBar({ title, onPhone, children }: { title: string; onPhone?: ReactNode; children?: ReactNode }) {
  return (
    <header className="flex h-(--bar-h) items-center gap-2 border-b border-line-soft px-3 max-phone:h-13 max-phone:px-2">
      <MenuToggleButton />
      <h1 className={onPhone === undefined ? TITLE : `${TITLE} max-phone:sr-only`}>{title}</h1>
      {onPhone !== undefined && <div className="flex min-w-0 flex-1 items-center gap-2 phone:hidden">{onPhone}</div>}
      {children}
      <Appearance className="ml-auto max-phone:hidden" />
    </header>
  );
}

const TITLE = "text-md whitespace-nowrap";
