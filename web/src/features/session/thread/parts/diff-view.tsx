// A change, line below line. The signs repeat what the grounds say.

import { useMemo } from "react";
import { useTranslation } from "react-i18next";

import { coloredSpans } from "@/features/session/thread/parts/colored-spans";
import { diffOf, type DiffGap, type DiffLine } from "@/features/session/thread/parts/diff";
import { languageOf, useHighlight, type Piece } from "@/shared/markdown/highlight";
import { cx } from "@/shared/ui/cx";

const LOOKS = {
  same: { line: "", sign: "text-fg-3", mark: "", glyph: " " },
  added: { line: "bg-(--diff-add-bg)", sign: "text-green-fg", mark: "bg-(--diff-add-word)", glyph: "+" },
  removed: { line: "bg-(--diff-del-bg)", sign: "text-red-fg", mark: "bg-(--diff-del-word)", glyph: "-" },
} as const;

type Props = {
  before: string;
  after: string;
  /** The file's name says the language. */
  path: string;
};

export function DiffView({ before, after, path }: Props) {
  const diff = useMemo(() => diffOf(before, after), [before, after]);
  const language = languageOf(path);
  const colorsBefore = useHighlight(before, language);
  const colorsAfter = useHighlight(after, language);
  const piecesOf = (line: DiffLine) => (line.kind === "removed" ? colorsBefore : colorsAfter)?.[line.place];
  return (
    <div tabIndex={0} className="overflow-x-auto bg-sunken py-1.5 font-mono text-code leading-(--lh-code)">
      <div className="w-max min-w-full">
        {diff.lines.map((line, place) =>
          line.kind === "gap" ? (
            <Gap key={place} gap={line} />
          ) : (
            <Line key={place} line={line} pieces={piecesOf(line)} />
          ),
        )}
      </div>
    </div>
  );
}

function Line({ line, pieces }: { line: DiffLine; pieces: readonly Piece[] | undefined }) {
  const look = LOOKS[line.kind];
  return (
    <div className={cx("grid grid-cols-[26px_minmax(max-content,1fr)] whitespace-pre", look.line)}>
      <span className={cx("pl-3 select-none", look.sign)}>{look.glyph}</span>
      <code className="pr-3">
        {coloredSpans(line.spans, pieces).map(({ text, changed, color }, place) =>
          changed ? (
            <mark
              key={place}
              style={{ color }}
              className={cx("rounded-[2px]", color === undefined && "text-current", look.mark)}
            >
              {text}
            </mark>
          ) : (
            <span key={place} style={{ color }}>
              {text}
            </span>
          ),
        )}
      </code>
    </div>
  );
}

function Gap({ gap }: { gap: DiffGap }) {
  const { t } = useTranslation();
  return (
    <p className="px-3 py-0.5 pl-[28px] font-sans text-sm text-fg-3">{t("unchanged_lines", { count: gap.lines })}</p>
  );
}

export function DiffCounts({ added, removed }: { added: number; removed: number }) {
  const { t } = useTranslation();
  return (
    <span className="flex gap-2 font-mono">
      {added > 0 && <Count className="text-green-fg" name={t("line_added")} text={`+${added}`} />}
      {removed > 0 && <Count className="text-red-fg" name={t("line_removed")} text={`−${removed}`} />}
    </span>
  );
}

function Count({ className, name, text }: { className: string; name: string; text: string }) {
  return (
    <span className={className} title={name}>
      {text}
    </span>
  );
}
