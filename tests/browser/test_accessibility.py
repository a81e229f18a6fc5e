"""axe finds nothing, on any page, in either theme, on a phone."""

import re

from playwright.sync_api import expect
from tests.acceptance.support.obedient import steps
from tests.browser.checks import findings, findings_now
from tests.browser.conftest import Watch
from tests.browser.console import STOP, Console

from glasshouse.testing.server_process import ServerProcess


def test_before_anything_runs(watch: Watch, server: ServerProcess, axe: str) -> None:
    console = Console(watch(server))
    page = console.page
    page.goto("/")
    expect(page.locator("#key")).to_be_visible()
    assert findings(page, axe) == []
    console.open()
    expect(page.get_by_role("button", name="列出文件")).to_be_visible()
    assert findings(page, axe) == []
    page.get_by_role("link", name="示例任务", exact=True).click()
    expect(page.get_by_role("heading", name="示例任务")).to_be_visible()
    assert findings(page, axe) == []


def test_of_a_task(watch: Watch, obedient: ServerProcess, axe: str) -> None:
    console = Console(watch(obedient)).open()
    page = console.page
    console.send(steps("think hard", "say **so** `it` is", "$ touch begun; sleep 98765"))
    expect(console.status).to_contain_text("sleep 98765")
    assert findings(page, axe) == []
    console.button(STOP).click()
    console.stands("已停止")
    assert findings(page, axe) == []
    console.run("$ echo done")
    console.stands("已完成")
    assert findings(page, axe) == []
    console.run("fail 400")
    console.stands("失败")
    assert findings(page, axe) == []
    console.send("")
    expect(page.get_by_role("alert")).to_have_count(1)
    assert findings(page, axe) == []


def test_of_what_opens(watch: Watch, obedient: ServerProcess, axe: str) -> None:
    console = Console(watch(obedient)).open()
    page = console.page
    for opener in ("工具权限 Bash", "工作目录"):
        page.get_by_role("button", name=re.compile(f"^{opener}")).click()
        expect(page.get_by_role("dialog")).to_be_visible()
        assert findings(page, axe) == []
        page.keyboard.press("Escape")
    page.get_by_role("combobox", name="权限模式").click()
    expect(page.get_by_role("listbox")).to_be_visible()
    # What is behind an open list is hidden from those who listen, and the focus is kept in front of it.
    assert findings_now(page, axe, "[role=listbox]") == []
