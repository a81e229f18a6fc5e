import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, beforeAll, expect, test } from "vitest";

import { blocks } from "@/shared/markdown/blocks";
import { knownLanguage } from "@/shared/markdown/highlight";
import { hostOf, safeLink } from "@/shared/markdown/links";
import { Markdown } from "@/shared/markdown/markdown";
import { startTranslations } from "@/shared/i18n";

beforeAll(() => startTranslations("zh"));
afterEach(cleanup);

const HOSTILE = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  '<svg onload="alert(1)"><a xlink:href="javascript:alert(1)">x</a></svg>',
  '<iframe src="https://evil.example"></iframe>',
  "<style>*{display:none}</style>",
  '<form action="https://evil.example"><input name=a><button>go</button></form>',
  '<a href="https://a.example" onclick="alert(1)">x</a>',
  '<div style="position:fixed">x</div>',
  "<math><mtext></mtext></math><object data=x></object><embed src=x>",
  "<!-- comment --><base href=https://evil.example>",
  "![beacon](https://evil.example/beacon.png)",
  "![beacon][r]\n\n[r]: https://evil.example/beacon.png",
  "![x](data:image/svg+xml;base64,PHN2Zz4=)",
  "[x](javascript:alert(1))",
  "[x](JaVaScRiPt:alert(1))",
  "[x](java\tscript:alert(1))",
  "[x](&#106;avascript:alert(1))",
  "[x](data:text/html,<script>alert(1)</script>)",
  "[x](vbscript:x)",
  "[x](file:///etc/passwd)",
  "[x](//evil.example/a)",
  "[x](/api/logout)",
  "[x](#anchor)",
  "<javascript:alert(1)>",
  "[x]: javascript:alert(1)\n\n[x]",
  "footnote[^1]\n[^1]: words",
  "`<img src=x onerror=alert(1)>`",
  "```html\n<script>alert(1)</script>\n```",
  "|<img src=x>|b|\n|-|-|\n|<script>x</script>|2|",
  "# <img src=x onerror=alert(1)>",
  "~~<b>x</b>~~ **<i>y</i>**",
];
const ELEMENTS = new Set(
  "a blockquote button code del div em figcaption figure h3 hr br li ol p path pre rect span strong svg table tbody td th thead tr ul".split(
    " ",
  ),
);
const ATTRIBUTES = new Set(
  "aria-hidden aria-label class d fill height href rel rx ry start stroke stroke-linecap stroke-linejoin stroke-width style tabindex target title type viewBox width x xmlns y".split(
    " ",
  ),
);

// faults: C5
test.each(HOSTILE)("foreign text gives no element, attribute or address that it should not: %s", (text) => {
  const { container } = render(<Markdown text={text} />);
  const all = [...container.querySelectorAll("*")];
  expect(all.map((element) => element.localName).filter((name) => !ELEMENTS.has(name))).toEqual([]);
  expect(all.flatMap((element) => element.getAttributeNames()).filter((name) => !ATTRIBUTES.has(name))).toEqual([]);
  for (const link of container.querySelectorAll("a")) {
    expect(link.getAttribute("href")).toMatch(/^(https?:\/\/|mailto:)/);
    expect(link.getAttribute("rel")).toBe("noopener noreferrer");
    expect(link.getAttribute("target")).toBe("_blank");
  }
  // The only pictures are the icons of our own buttons.
  for (const picture of container.querySelectorAll("svg")) expect(picture.closest("button")).not.toBeNull();
});

// faults: C5
test("HTML is shown as the text that it is", () => {
  const { container } = render(
    <Markdown text={'before <b onclick="x()">bold</b> after\n\n<script>alert(1)</script>'} />,
  );
  expect(container.textContent).toContain('<b onclick="x()">bold</b>');
  expect(container.textContent).toContain("<script>alert(1)</script>");
});

// faults: C5
test("an image is its words, with the address as a link", () => {
  render(<Markdown text="![the plan](https://files.example/plan.png)" />);
  expect(document.querySelector("img")).toBeNull();
  const link = screen.getByRole("link", { name: "the plan" });
  expect(link.getAttribute("href")).toBe("https://files.example/plan.png");
  expect(link.getAttribute("title")).toBe("files.example");
});

test("only http, https and mail are followed, and the host is said", () => {
  expect(safeLink("https://docs.python.org/3/")).toBe("https://docs.python.org/3/");
  expect(safeLink("mailto:a@b.example")).toBe("mailto:a@b.example");
  expect(safeLink("ftp://a.example")).toBeNull();
  expect(safeLink("not an address")).toBeNull();
  expect(hostOf("https://docs.python.org/3/")).toBe("docs.python.org");
  expect(hostOf("mailto:a@b.example")).toBe("a@b.example");
});

test("code has its language, its text as it is, and a button that copies it", () => {
  const { container } = render(<Markdown text={"```sql\nSELECT  1;\n\n-- end\n```"} />);
  expect(screen.getByText("sql")).toBeTruthy();
  expect(container.querySelector("pre")?.textContent).toBe("SELECT  1;\n\n-- end");
  expect(screen.getByRole("button", { name: "复制" })).toBeTruthy();
});

test("code that is not closed yet is code", () => {
  const { container } = render(<Markdown streaming text={"words\n\n```py\nx = 1"} />);
  expect(container.querySelector("pre")?.textContent).toBe("x = 1");
});

test("a wide table scrolls by itself", () => {
  const { container } = render(<Markdown text={"|a|b|\n|-|-:|\n|1|2|"} />);
  expect(container.querySelector("table")?.parentElement?.className).toContain("overflow-x-auto");
});

test("an item of a list of tasks shows its box as text", () => {
  const { container } = render(<Markdown text={"- [x] done\n- [ ] open"} />);
  expect([...container.querySelectorAll("li")].map((item) => item.textContent?.trim())).toEqual(["☑ done", "☐ open"]);
  expect(container.querySelector("input")).toBeNull();
});

test("while a text streams, the blocks before its last stay the same elements", () => {
  const { container, rerender } = render(<Markdown streaming text={"first\n\nsecond"} />);
  const first = container.querySelector("p");
  rerender(<Markdown streaming text={"first\n\nsecond grows\n\nthird"} />);
  expect(container.querySelector("p")).toBe(first);
  expect([...container.querySelectorAll("p")].map((block) => block.textContent)).toEqual([
    "first",
    "second grows",
    "third",
  ]);
  expect(blocks("a\n\n\n- b\n- c\n\n```\nd\n```")).toHaveLength(3);
});

test("languages are known by the names that people use", () => {
  expect(["py", "TS", "sh", "yml", "c++"].map(knownLanguage)).toEqual(["python", "typescript", "bash", "yaml", "c"]);
  expect(knownLanguage("constructor")).toBeNull();
});
