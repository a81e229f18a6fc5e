"""What holds on every page: axe finds nothing, and in English no Chinese is left."""

import re
from typing import Any, Literal

from playwright.sync_api import Page

_WIDE, _PHONE = (1280, 800), (390, 844)
_LOOKS: tuple[tuple[tuple[int, int], Literal["light", "dark"]], ...] = (
    (_PHONE, "light"),
    (_WIDE, "light"),
    (_WIDE, "dark"),
)
_VISIBLE_TEXTS = """() => {
    const texts = [document.title];
    for (const element of document.querySelectorAll("body :not(noscript, script)")) {
        if (element.closest("[lang]") !== document.documentElement) continue;
        for (const name of ["title", "aria-label", "placeholder", "alt"]) texts.push(element.getAttribute(name) ?? "");
        for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) texts.push(node.data);
    }
    return texts.filter((text) => text.trim() !== "");
}"""
_CHINESE = re.compile("[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]")
# A key of the catalogue that has no words: i18next shows the key itself.
_KEY_NAME = re.compile(r"^[a-z]+(?:_[a-z]+)+$|\{\{")


def assert_english(page: Page) -> None:
    texts = page.evaluate(_VISIBLE_TEXTS)
    assert [text for text in texts if _CHINESE.search(text)] == []
    assert [text for text in texts if _KEY_NAME.search(text)] == []


def findings(page: Page, axe: str) -> list[Any]:
    found = []
    for (width, height), scheme in _LOOKS:
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        found += [(width, scheme, *finding) for finding in findings_now(page, axe)]
    return found


def findings_now(page: Page, axe: str, part: str = "html") -> list[tuple[str, ...]]:
    page.evaluate(axe)
    violations = page.evaluate("async (part) => (await axe.run(part)).violations", part)
    return [
        (violation["id"], node["html"][:300], node["failureSummary"])
        for violation in violations
        for node in violation["nodes"]
    ]
