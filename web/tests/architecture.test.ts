// The law of the web app: shared → features → app, and no feature imports another.

import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";

const SOURCES = join(import.meta.dirname, "../src");
const IMPORT = /(?:from|import)\s*\(?\s*"(@\/[^"]+|\.[^"]*)"/g;

const files = readdirSync(SOURCES, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map((entry) => relative(SOURCES, join(entry.parentPath, entry.name)));

function importsOf(file: string): string[] {
  return [...readFileSync(join(SOURCES, file), "utf8").matchAll(IMPORT)].map((match) => match[1]!);
}

function breaks(file: string, imported: string): boolean {
  const [layer, feature] = file.split("/");
  const [, importedLayer, importedFeature] = imported.split("/");
  // A path from here hides which layer it leads to.
  if (!imported.startsWith("@/")) return true;
  if (layer === "shared") return importedLayer !== "shared";
  if (layer === "features")
    return importedLayer === "app" || (importedLayer === "features" && importedFeature !== feature);
  return false;
}

test("imports go one way", () => {
  expect(files.length).toBeGreaterThan(50);
  const broken = files.flatMap((file) =>
    importsOf(file)
      .filter((imported) => breaks(file, imported))
      .map((imported) => `${file} imports ${imported}`),
  );
  expect(broken).toEqual([]);
});
