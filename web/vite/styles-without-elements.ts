// The page's policy refuses <style> elements, and some libraries write them. Here their rules reach the page in ways
// that it allows: a file where the rules are constant, an adopted sheet where they are computed.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

const ADOPTED = join(import.meta.dirname, "adopted-style.ts");
const RULES_OF = "\0rules-of:";

/** Where a library's constant rules stand in its module: the first group; the whole match is taken out. */
const CONSTANT: Record<string, RegExp> = {
  "@radix-ui/react-select/dist/index.mjs":
    /jsx\(\s*"style",\s*\{\s*dangerouslySetInnerHTML: \{\s*__html: `([^`]*)`\s*\},\s*nonce\s*\}\s*\)/,
  "@radix-ui/react-scroll-area/dist/index.mjs":
    /jsx\(\s*"style",\s*\{\s*dangerouslySetInnerHTML: \{\s*__html: `([^`]*)`\s*\},\s*nonce\s*\}\s*\)/,
  "sonner/dist/index.mjs": /^__insertCSS\("((?:[^"\\]|\\.)*)"\)/m,
};

export function stylesWithoutElements(): Plugin {
  return {
    name: "styles-without-elements",
    enforce: "pre",
    apply: "build",
    resolveId(source, importer) {
      if (source === "./singleton" && importer?.includes("/react-style-singleton/")) return ADOPTED;
      return source.startsWith(RULES_OF) ? source : null;
    },
    load(id) {
      if (!id.startsWith(RULES_OF)) return null;
      const module = id.slice(RULES_OF.length, -".css".length);
      return rulesIn(readFileSync(module, "utf8"), module).rules;
    },
    transform(code, id) {
      if (patternOf(id) === undefined) return null;
      const { whole } = rulesIn(code, id);
      const imported = `import ${JSON.stringify(`${RULES_OF}${id}.css`)};\n`;
      return { code: imported + code.replace(whole, () => "null"), map: null };
    },
  };
}

function patternOf(id: string): RegExp | undefined {
  return Object.entries(CONSTANT).find(([module]) => id.endsWith(`/node_modules/${module}`))?.[1];
}

function rulesIn(code: string, id: string): { whole: string; rules: string } {
  const found = patternOf(id)?.exec(code);
  const [whole, rules] = found ?? [];
  if (whole === undefined || rules === undefined) {
    throw new Error(`${id} no longer writes its <style> where it did: see web/vite/styles-without-elements.ts`);
  }
  return { whole, rules: rules.replace(/\\(.)/g, "$1") };
}
