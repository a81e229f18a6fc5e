// WebFetch and WebSearch: which pages, by title and host.

import { Globe } from "lucide-react";
import { useTranslation } from "react-i18next";

import { field, inputOf } from "@/features/session/thread/tools/input";
import { Fact, PlainResult, Took } from "@/features/session/thread/tools/parts";
import { webPages } from "@/features/session/thread/tools/result";
import type { ToolView } from "@/features/session/thread/tools/view";
import type { ToolRow } from "@/shared/events/rows";
import { Link } from "@/shared/markdown/link";
import { hostOf } from "@/shared/markdown/links";

export const webFetch: ToolView = {
  icon: Globe,
  argument: (input) => ({ text: hostOf(field(input, "url")) }),
  Facts: Took,
  Body: FetchBody,
  opens: "on failure",
};

export const webSearch: ToolView = {
  icon: Globe,
  argument: (input) => ({ text: field(input, "query"), isProse: true }),
  Facts: SearchFacts,
  Body: SearchBody,
  opens: "on failure",
};

function FetchBody({ row }: { row: ToolRow }) {
  const url = field(inputOf(row), "url");
  return (
    <>
      <p className="px-3 py-2 wrap-anywhere text-fg-2">
        <Link address={url}>{url}</Link>
      </p>
      <PlainResult row={row} />
    </>
  );
}

function SearchFacts({ row }: { row: ToolRow }) {
  const { t } = useTranslation();
  const pages = webPages(row.result ?? "");
  return pages.length > 0 ? <Fact>{t("pages", { count: pages.length })}</Fact> : <Took row={row} />;
}

function SearchBody({ row }: { row: ToolRow }) {
  const pages = webPages(row.result ?? "");
  if (pages.length === 0) return <PlainResult row={row} />;
  return (
    <ul className="grid gap-1 px-3 py-2">
      {pages.map(({ title, url }) => (
        <li key={url} className="flex items-baseline gap-3">
          <span className="min-w-0 truncate">
            <Link address={url}>{title}</Link>
          </span>
          <span className="shrink-0 text-sm text-fg-3">{hostOf(url)}</span>
        </li>
      ))}
    </ul>
  );
}
