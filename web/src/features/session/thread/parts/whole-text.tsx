// A text that may be long: its beginning or its end, and the whole of it on demand, from the server if that cut it.

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

import { clipHead, type Clip } from "@/features/session/thread/parts/clip";
import { useFold } from "@/features/session/thread/folds";
import { getText } from "@/shared/api/client";
import type { Cut } from "@/shared/api/types.gen";
import { bytes } from "@/shared/format";

export type WholeText = {
  /** What is to be shown now. */
  readonly text: string;
  readonly lines: number;
  /** How much there is and what shows it, where not all is shown. */
  readonly more: ReactNode;
};

type Options = { readonly cut?: Cut | undefined; readonly clip?: (text: string) => Clip };

export function useWholeText(key: string, text: string, { cut, clip = clipHead }: Options = {}): WholeText {
  const [isAll, toggle] = useFold(`${key}:all`);
  // What a digest names never changes.
  const blob = useQuery({
    queryKey: ["blob", cut?.sha256],
    queryFn: ({ signal }) => getText(`/api/blobs/${cut!.sha256}`, signal),
    enabled: isAll && cut !== undefined,
    staleTime: Infinity,
    retry: false,
  });
  const known = blob.data ?? text;
  const clipped = clip(known);
  const isLong = clipped.isCut || cut !== undefined;
  const shown = isAll && (cut === undefined || blob.data !== undefined) ? known : clipped.text;
  const more = isLong ? (
    <More
      lines={clipped.lines}
      cut={blob.data === undefined ? cut : undefined}
      state={!isAll ? "part" : blob.isFetching ? "loading" : blob.isError ? "failed" : "all"}
      onTurn={() => (blob.isError ? void blob.refetch() : toggle())}
    />
  ) : null;
  return { text: shown, lines: clipped.lines, more };
}

type MoreProps = {
  lines: number;
  cut: Cut | undefined;
  state: "part" | "loading" | "failed" | "all";
  onTurn: () => void;
};

function More({ lines, cut, state, onTurn }: MoreProps) {
  const { t } = useTranslation();
  const words = { part: "show_all", loading: "loading", failed: "show_all_failed", all: "show_less" } as const;
  return (
    <>
      <span>
        {cut === undefined ? t("lines_in_all", { count: lines }) : t("size_in_all", { size: bytes(cut.bytes) })}
      </span>
      <button
        type="button"
        onClick={onTurn}
        disabled={state === "loading"}
        className="text-fg-2 underline decoration-line-control underline-offset-3 hover:text-fg"
      >
        {t(words[state])}
      </button>
    </>
  );
}

/** The same below a text that has no card of its own. */
export function MoreLine({ children }: { children: ReactNode }) {
  if (children === null) return null;
  return <p className="mt-1 flex items-center gap-3 text-sm text-fg-3">{children}</p>;
}
