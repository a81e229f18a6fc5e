"""axe finds nothing, on any page, in either theme, on a phone."""

import re
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Page, expect
from tests.acceptance.support.obedient import steps
from tests.browser.conftest import Watch
from tests.browser.console import STOP, Console

from glasshouse.testing.server_process import ServerProcess

_AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
_WIDE, _PHONE = (1280, 800), (390, 844)
_LOOKS: tuple[tuple[tuple[int, int], Literal["light", "dark"]], ...] = (
    (_PHONE, "light"),
    (_WIDE, "light"),
    (_WIDE, "dark"),
)


@pytest.fixture
def axe() -> str:
    if not _AXE.exists():
        pytest.skip("the console's tools are not installed: scripts/web test installs them")
    return _AXE.read_text()


def _findings(page: Page, axe: str) -> list[Any]:
    found = []
    for (width, height), scheme in _LOOKS:
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        found += [(width, scheme, *finding) for finding in _findings_now(page, axe)]
    return found


def _findings_now(page: Page, axe: str, part: str = "html") -> list[tuple[str, ...]]:
    page.evaluate(axe)
    violations = page.evaluate("async (part) => (await axe.run(part)).violations", part)
    return [
        (violation["id"], node["html"][:300], node["failureSummary"])
        for violation in violations
        for node in violation["nodes"]
    ]


def test_before_anything_runs(watch: Watch, server: ServerProcess, axe: str) -> None:
    console = Console(watch(server))
    page = console.page
    page.goto("/")
    expect(page.locator("#key")).to_be_visible()
    assert _findings(page, axe) == []
    console.open()
    expect(page.get_by_role("button", name="列出文件")).to_be_visible()
    assert _findings(page, axe) == []
    page.get_by_role("link", name="示例任务", exact=True).click()
    expect(page.get_by_role("heading", name="示例任务")).to_be_visible()
    assert _findings(page, axe) == []


def test_of_a_task(watch: Watch, obedient: ServerProcess, axe: str) -> None:
    console = Console(watch(obedient)).open()
    page = console.page
    console.send(steps("think hard", "say **so** `it` is", "$ touch begun; sleep 98765"))
    expect(console.status).to_contain_text("sleep 98765")
    assert _findings(page, axe) == []
    console.button(STOP).click()
    console.stands("已停止")
    assert _findings(page, axe) == []
    console.run("$ echo done")
    console.stands("已完成")
    assert _findings(page, axe) == []
    console.run("fail 400")
    console.stands("失败")
    assert _findings(page, axe) == []
    console.send("")
    expect(page.get_by_role("alert")).to_have_count(1)
    assert _findings(page, axe) == []


def test_of_what_opens(watch: Watch, obedient: ServerProcess, axe: str) -> None:
    console = Console(watch(obedient)).open()
    page = console.page
    for opener in ("工具权限 Bash", "工作目录"):
        page.get_by_role("button", name=re.compile(f"^{opener}")).click()
        expect(page.get_by_role("dialog")).to_be_visible()
        assert _findings(page, axe) == []
        page.keyboard.press("Escape")
    page.get_by_role("combobox", name="权限模式").click()
    expect(page.get_by_role("listbox")).to_be_visible()
    # What is behind an open list is hidden from those who listen, and the focus is kept in front of it.
    assert _findings_now(page, axe, "[role=listbox]") == []
