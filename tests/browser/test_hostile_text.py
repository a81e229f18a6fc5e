"""Foreign text is text: nothing in it runs, asks for anything or leads anywhere but to the web."""

import re
import shlex

import pytest
from playwright.sync_api import expect
from tests.acceptance.support.obedient import steps
from tests.browser.conftest import Watch
from tests.browser.console import Console

from glasshouse.testing.server_process import ServerProcess

_CANARY = "http://127.0.0.1:9/canary"
_CORPUS = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    f"<img src={_CANARY}>",
    f"<style>@import '{_CANARY}';</style>",
    f"<iframe src={_CANARY}></iframe>",
    "<svg/onload=alert(3)>",
    "<a href='javascript:alert(4)'>raw</a>",
    "[script](javascript:alert(5))",
    "[data](data:text/html;base64,PHNjcmlwdD5hbGVydCg2KTwvc2NyaXB0Pg==)",
    "[entity](java&#115;cript:alert(7))",
    f"![image]({_CANARY})",
    f"[kept]({_CANARY})",
    "<https://example.invalid/auto>",
    "```html\n<script>alert(8)</script>\n```",
    "`<img src=x onerror=alert(9)>`",
    "| <script>alert(10)</script> | b |\n|---|---|\n| [x](vbscript:alert(11)) | c |",
    "{{constructor.constructor('alert(12)')()}}",
    "\u202etxt.exe\u2066 \u200b",
)
_LINKS = "() => [...document.querySelectorAll('a[href]')].map((link) => link.href)"


@pytest.fixture
def console(watch: Watch, obedient: ServerProcess) -> Console:
    return Console(watch(obedient)).open()


def _assert_harmless(console: Console) -> None:
    watched = console.watched
    assert watched.dialogs == []
    assert watched.foreign == []
    assert watched.complaints == [], "nothing was left to the policy to refuse"
    links = console.page.evaluate(_LINKS)
    assert [link for link in links if not re.match("https?:|mailto:", link)] == []
    assert console.page.locator("#content :is(script, iframe, style, img, object, embed)").count() == 0


# faults: C5
def test_in_a_prompt_and_in_an_answer(console: Console) -> None:
    console.run("\n\n".join(_CORPUS))
    expect(console.log.get_by_text("heard:")).to_be_visible()
    expect(console.log.get_by_text("<script>alert(1)</script>").first).to_be_visible()
    _assert_harmless(console)
    console.page.reload()
    expect(console.log.get_by_text("heard:")).to_be_visible()
    _assert_harmless(console)


# faults: C5 C6
def test_in_what_a_tool_prints(console: Console) -> None:
    escapes = r"\e]8;;javascript:alert(1)\a click \e]8;;\a \e]52;c;Y2FuYXJ5\a \e[2J\e[31mred\e[0m"
    printed = shlex.quote(" ".join(text.replace("\n", " ") for text in _CORPUS))
    console.run(steps(f"$ printf '%s\\n' {printed}; printf '{escapes}'", f"$ printf '%s\\n' {printed} >&2; exit 3"))
    expect(console.log.get_by_text("<svg/onload=alert(3)>").first).to_be_visible()
    _assert_harmless(console)


# faults: C5
def test_in_the_names_of_files_and_directories(console: Console, obedient: ServerProcess) -> None:
    names = ["<img src=x onerror=alert(1)>", "[x](javascript:alert(2))", '"><script>alert(3)<script>']
    for name in names:
        (obedient.workspace / "hostile" / name).mkdir(parents=True)
    console.run(f"$ ls {obedient.workspace}/hostile")
    expect(console.log.get_by_text(names[0]).first).to_be_visible()

    console.button("新会话").click()
    console.page.get_by_role("button", name=re.compile("^工作目录")).click()
    console.page.get_by_role("combobox", name="工作目录").fill(f"{obedient.workspace}/hostile/")
    expect(console.page.get_by_role("option")).to_have_count(len(names))
    console.page.get_by_role("option", name=names[0]).click()
    console.run("$ pwd")
    expect(console.page.get_by_text(names[0]).first).to_be_visible()
    _assert_harmless(console)


# faults: C5
def test_in_an_error_and_in_the_title(console: Console) -> None:
    console.run("<img src=x onerror=alert(1)>\nfail 400")
    console.stands("失败")
    console.run("<b>bold</b>")
    assert console.page.title().startswith("<img src=x onerror=alert(1)>")
    _assert_harmless(console)
