// Colours for code, loaded when the page has nothing else to do. The colours are the design's tokens, so a change of
// theme needs no second pass.

import type { HighlighterCore, LanguageInput } from "shiki/core";
import { useEffect, useState } from "react";

export type Piece = { readonly text: string; readonly color: string | undefined };

const LANGUAGES: Record<string, () => LanguageInput> = {
  bash: () => import("shiki/langs/bash.mjs"),
  c: () => import("shiki/langs/c.mjs"),
  css: () => import("shiki/langs/css.mjs"),
  diff: () => import("shiki/langs/diff.mjs"),
  dockerfile: () => import("shiki/langs/dockerfile.mjs"),
  go: () => import("shiki/langs/go.mjs"),
  html: () => import("shiki/langs/html.mjs"),
  ini: () => import("shiki/langs/ini.mjs"),
  java: () => import("shiki/langs/java.mjs"),
  javascript: () => import("shiki/langs/javascript.mjs"),
  json: () => import("shiki/langs/json.mjs"),
  markdown: () => import("shiki/langs/markdown.mjs"),
  python: () => import("shiki/langs/python.mjs"),
  rust: () => import("shiki/langs/rust.mjs"),
  sql: () => import("shiki/langs/sql.mjs"),
  toml: () => import("shiki/langs/toml.mjs"),
  tsx: () => import("shiki/langs/tsx.mjs"),
  typescript: () => import("shiki/langs/typescript.mjs"),
  yaml: () => import("shiki/langs/yaml.mjs"),
};

const OTHER_NAMES: Record<string, string> = {
  cc: "c",
  "c++": "c",
  cfg: "ini",
  cpp: "c",
  h: "c",
  hpp: "c",
  js: "javascript",
  jsonc: "json",
  jsx: "tsx",
  md: "markdown",
  mjs: "javascript",
  py: "python",
  rs: "rust",
  sh: "bash",
  shell: "bash",
  ts: "typescript",
  yml: "yaml",
  zsh: "bash",
};

const LARGEST = 30_000;

/** The lines of a code as coloured pieces, or nothing as long as there are none. */
export function useHighlight(code: string, language: string): readonly (readonly Piece[])[] | null {
  const [done, setDone] = useState<{ code: string; lines: Piece[][] } | null>(null);
  const name = knownLanguage(language);
  useEffect(() => {
    if (name === null || code.length > LARGEST) return undefined;
    let wanted = true;
    const cancel = whenIdle(() => {
      void highlight(code, name).then((lines) => {
        if (wanted) setDone({ code, lines });
      });
    });
    return () => {
      wanted = false;
      cancel();
    };
  }, [code, name]);
  return done?.code === code ? done.lines : null;
}

export function knownLanguage(name: string): string | null {
  const plain = name.toLowerCase();
  const language = OTHER_NAMES[plain] ?? plain;
  return Object.hasOwn(LANGUAGES, language) ? language : null;
}

export function languageOf(path: string): string {
  return /\.(\w+)$/.exec(path)?.[1] ?? "";
}

async function highlight(code: string, language: string): Promise<Piece[][]> {
  const shiki = await highlighter();
  await shiki.loadLanguage(LANGUAGES[language]!());
  const lines = shiki.codeToTokensBase(code, { lang: language, theme: "glasshouse" });
  return lines.map((line) => line.map(({ content, color }) => ({ text: content, color })));
}

let loading: Promise<HighlighterCore> | null = null;

function highlighter(): Promise<HighlighterCore> {
  loading ??= load();
  return loading;
}

async function load(): Promise<HighlighterCore> {
  const [{ createCssVariablesTheme, createHighlighterCore }, { createJavaScriptRegexEngine }] = await Promise.all([
    import("shiki/core"),
    import("shiki/engine/javascript"),
  ]);
  return createHighlighterCore({
    themes: [createCssVariablesTheme({ name: "glasshouse", variablePrefix: "--code-", fontStyle: false })],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
}

function whenIdle(act: () => void): () => void {
  if (typeof requestIdleCallback === "function") {
    const handle = requestIdleCallback(act);
    return () => cancelIdleCallback(handle);
  }
  const timer = setTimeout(act, 50);
  return () => clearTimeout(timer);
}
