// An address in foreign text: a link if it may be followed, else the words alone.

import type { ReactNode } from "react";

import { hostOf, safeLink } from "@/shared/markdown/links";

export function Link({ address, children }: { address: string | undefined; children: ReactNode }) {
  const href = safeLink(address);
  if (href === null) return <>{children}</>;
  return (
    <a
      href={href}
      target="_blank"
      rel="noopener noreferrer"
      title={hostOf(href)}
      className="underline decoration-line-control underline-offset-3 hover:text-fg"
    >
      {children}
    </a>
  );
}
