// Which addresses of foreign text become links, and what a person is told about where they lead.

const ALLOWED = new Set(["http:", "https:", "mailto:"]);

/** The address as it may be followed, or nothing. */
export function safeLink(address: string | undefined): string | null {
  const url = parse(address);
  return url !== null && ALLOWED.has(url.protocol) ? url.href : null;
}

/** "docs.python.org"; for mail the address itself. */
export function hostOf(address: string): string {
  const url = parse(address);
  if (url === null) return address;
  return url.protocol === "mailto:" ? decodeURIComponent(url.pathname) : url.host;
}

function parse(address: string | undefined): URL | null {
  // No base: a relative address would point into our own origin.
  return address !== undefined && URL.canParse(address) ? new URL(address) : null;
}
