// Which addresses of foreign text become links, and what a person is told about where they lead.

const ALLOWED = new Set(["http:", "https:", "mailto:"]);

/** The address as it may be followed, or nothing. */
export function safeLink(address: string | undefined): string | null {
  const url = parse(address);
  return url !== null && ALLOWED.has(url.protocol) ? url.href : null;
}

export type WebPage = {
  /** As a browser reads it: a name in letters that only look alike is spelt out. */
  readonly href: string;
  readonly host: string;
  /** Where in `href` the host stands. */
  readonly hostAt: number;
};

/** An address of the web and nothing else; nothing if it is none. */
export function webPage(address: string): WebPage | null {
  const url = parse(address);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return null;
  const signIn = url.username === "" && url.password === "" ? 0 : url.href.indexOf("@") + 1;
  const hostAt = signIn === 0 ? `${url.protocol}//`.length : signIn;
  return { href: url.href, host: url.host, hostAt };
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
