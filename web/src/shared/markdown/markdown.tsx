// Foreign text as prose. It is text: no HTML of its own, nothing that loads, no link but http, https and mailto.

import "@/shared/markdown/prose.css";

import { memo, useMemo } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";

import { blocks } from "@/shared/markdown/blocks";
import { CodeBlock } from "@/shared/markdown/code-block";
import { Link } from "@/shared/markdown/link";
import { cx } from "@/shared/ui/cx";

type Props = { text: string; streaming?: boolean; className?: string };

export function Markdown({ text, streaming = false, className }: Props) {
  const parts = useMemo(() => blocks(text), [text]);
  return (
    <div className={cx("prose-read", streaming && "prose-streaming", className)}>
      {parts.map((part, index) => (
        <Block key={index} text={part} />
      ))}
    </div>
  );
}

const PLUGINS = [remarkGfm];
// What is not named here is unwrapped: its words stay, it does not.
const ELEMENTS = (
  "p h1 h2 h3 h4 h5 h6 ul ol li input blockquote pre code hr br " + "table thead tbody tr th td a img strong em del"
).split(" ");

const Block = memo(function Block({ text }: { text: string }) {
  return (
    <ReactMarkdown
      remarkPlugins={PLUGINS}
      allowedElements={ELEMENTS}
      unwrapDisallowed
      urlTransform={asWritten}
      components={COMPONENTS}
    >
      {text}
    </ReactMarkdown>
  );
});

// The one place that judges an address is Link.
const asWritten = (address: string) => address;

type HeadingProps = { children?: React.ReactNode };

// The page's own headings stand above a text's, so all of a text's are of one level.
const Heading = ({ children }: HeadingProps) => <h3>{children}</h3>;

const COMPONENTS: Components = {
  h1: Heading,
  h2: Heading,
  h3: Heading,
  h4: Heading,
  h5: Heading,
  h6: Heading,
  p: ({ children }) => <p>{children}</p>,
  ul: ({ children }) => <ul className="list-disc pl-[1.4em]">{children}</ul>,
  ol: ({ children, start }) => (
    <ol start={start} className="list-decimal pl-[1.4em]">
      {children}
    </ol>
  ),
  li: ({ children, className }) => (
    <li className={className === "task-list-item" ? "-ml-[1.4em] list-none" : undefined}>{children}</li>
  ),
  input: ({ checked }) => (checked ? "☑" : "☐"),
  blockquote: ({ children }) => <blockquote className="border-l-2 border-line pl-3 text-fg-2">{children}</blockquote>,
  hr: () => <hr className="border-line-soft" />,
  a: ({ href, children }) => <Link address={href}>{children}</Link>,
  // A picture would tell a stranger that its text is being read.
  img: ({ src, alt }) => <Link address={src}>{alt || src || ""}</Link>,
  pre: ({ node }) => <CodeBlock {...codeOf(node)} />,
  code: ({ children }) => <InlineCode>{children}</InlineCode>,
  table: ({ children }) => (
    <div tabIndex={0} className="overflow-x-auto">
      <table className="border-collapse text-ui leading-(--lh-ui)">{children}</table>
    </div>
  ),
  th: ({ children, style }) => (
    <th style={style} className="border-b border-line px-3 py-1.5 text-left font-semibold first:pl-0">
      {children}
    </th>
  ),
  td: ({ children, style }) => (
    <td style={style} className="border-b border-line-soft px-3 py-1.5 align-top first:pl-0">
      {children}
    </td>
  ),
};

export function InlineCode({ children }: { children?: React.ReactNode }) {
  return <code className="rounded-1 bg-hover px-1.25 py-px font-mono text-[0.86em]">{children}</code>;
}

type Parsed = {
  readonly children?: readonly unknown[];
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly value?: string;
};

/** The text and the language of a `pre`, out of the tree below it. */
function codeOf(pre: unknown): { code: string; language: string } {
  const code = (pre as Parsed | undefined)?.children?.[0] as Parsed | undefined;
  const names = code?.properties?.["className"];
  const named = (Array.isArray(names) ? names.map(String) : []).find((name) => name.startsWith("language-"));
  const text = (code?.children ?? []).map((child) => (child as Parsed).value ?? "").join("");
  return { code: text.replace(/\n$/, ""), language: named?.slice("language-".length) ?? "" };
}
