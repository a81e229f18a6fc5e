import "@/shared/markdown/code.css";

import { Fragment } from "react";

import { useHighlight } from "@/shared/markdown/highlight";
import { CopyButton } from "@/shared/ui/copy-button";

export function CodeBlock({ code, language }: { code: string; language: string }) {
  return (
    <figure className="rounded-3 border border-line-soft bg-sunken">
      <figcaption className="flex h-7.5 items-center justify-between gap-2 pr-1.5 pl-3 text-sm text-fg-3">
        <span className="truncate">{language}</span>
        <CopyButton text={code} />
      </figcaption>
      {/* What scrolls sideways is reached without a mouse too. */}
      <pre tabIndex={0} className="overflow-x-auto px-3 pb-2.5 font-mono text-code leading-(--lh-code)">
        <code>
          <Highlighted code={code} language={language} />
        </code>
      </pre>
    </figure>
  );
}

export function Highlighted({ code, language }: { code: string; language: string }) {
  const lines = useHighlight(code, language);
  if (lines === null) return code;
  return lines.map((line, number) => (
    <Fragment key={number}>
      {number > 0 && "\n"}
      {line.map(({ text, color }, place) => (
        <span key={place} style={{ color }}>
          {text}
        </span>
      ))}
    </Fragment>
  ));
}
