import type { Plugin } from "vite";
import { describe, expect, it } from "vitest";

import { stylesheetSingleton } from "../../vite/adopted-style.ts";
import { stylesWithoutElements } from "../../vite/styles-without-elements.ts";

const plugin = stylesWithoutElements() as Plugin & {
  transform: (code: string, id: string) => { code: string } | null;
  resolveId: (source: string, importer?: string) => string | null;
};
const SELECT = "/x/node_modules/@radix-ui/react-select/dist/index.mjs";

describe("libraries that write <style> elements", () => {
  it("takes constant rules out of the module and into a stylesheet", () => {
    const code = 'f(/* @__PURE__ */ jsx("style", { dangerouslySetInnerHTML: { __html: `a{b:c}` }, nonce }));';
    const changed = plugin.transform(code, SELECT)!.code;
    expect(changed).toMatch(/^import ".*react-select.*\.css";\nf\(\/\* @__PURE__ \*\/ null\);$/);
  });

  it("fails the build when the library writes them otherwise", () => {
    expect(() => plugin.transform("something new", SELECT)).toThrow(/no longer writes its <style>/);
  });

  it("leaves every other module as it is", () => {
    expect(plugin.transform('jsx("style", {})', "/x/src/a.tsx")).toBeNull();
    expect(plugin.resolveId("./singleton", "/x/src/a.ts")).toBeNull();
  });

  it("adopts computed rules once, for as long as anyone asks for them", () => {
    const before = document.adoptedStyleSheets.length;
    const sheet = stylesheetSingleton();
    sheet.add("p { color: red }");
    sheet.add("p { color: red }");
    expect(document.adoptedStyleSheets.length).toBe(before + 1);
    sheet.remove();
    expect(document.adoptedStyleSheets.length).toBe(before + 1);
    sheet.remove();
    expect(document.adoptedStyleSheets.length).toBe(before);
  });
});
