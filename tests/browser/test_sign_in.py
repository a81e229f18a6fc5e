"""Signing in to the console in Chromium: by link and by key, what it shows then, and how a session ends."""

import json
import re
import subprocess

import pytest
from playwright.sync_api import Page, expect
from tests.browser.conftest import Watched

from glasshouse.testing.server_process import KEY, ServerProcess

# What a browser says by itself of an answer that is an error: 401 is how the console learns that nobody is signed in.
_REFUSED = re.compile("Failed to load resource|WebSocket connection to .* failed: HTTP Authentication failed")


def _link(server: ServerProcess) -> str:
    printed = subprocess.run(
        [*server.command[:3], "link"], env=server.environment, capture_output=True, text=True, timeout=30, check=True
    )
    return printed.stdout.strip()


def _is_signed_in(page: Page) -> None:
    expect(page.locator("#content textarea")).to_be_visible()
    expect(page.locator("#key")).to_have_count(0)


def _is_signed_out(page: Page) -> None:
    expect(page.locator("#key")).to_be_visible()
    expect(page.locator("#content")).to_have_count(0)


def test_a_link_signs_in_and_shows_what_runs(watched: Watched, server: ServerProcess) -> None:
    page = watched.page
    page.goto(_link(server))
    _is_signed_in(page)
    assert page.url == f"{server.url}/", "the code is gone from the address"
    expect(page.get_by_text("Claude Code 是真的，回答来自预先写好的脚本")).to_be_visible()
    expect(page.get_by_text("已连接")).to_be_visible()
    page.reload()
    _is_signed_in(page)
    assert watched.foreign == []
    assert watched.complaints == []


def test_a_link_is_good_once(watched: Watched, server: ServerProcess) -> None:
    link = _link(server)
    page = watched.page
    page.goto(link)
    _is_signed_in(page)
    page.context.clear_cookies()
    page.goto("about:blank")
    page.goto(link)
    _is_signed_out(page)
    expect(page.get_by_role("alert")).to_contain_text("glasshouse link")
    assert link.partition("=")[2] not in page.url


def test_a_link_is_taken_by_a_page_that_is_open_already(watched: Watched, server: ServerProcess) -> None:
    page = watched.page
    page.goto("/")
    _is_signed_out(page)
    page.goto(_link(server))
    _is_signed_in(page)


def test_the_key_signs_in_and_a_wrong_one_is_told(watched: Watched) -> None:
    page = watched.page
    page.goto("/")
    _is_signed_out(page)
    page.locator("#key").fill("a-wrong-key")
    page.get_by_role("button", name="登录").click()
    expect(page.get_by_role("alert")).to_have_text("API 密钥无效")
    _is_signed_out(page)
    page.locator("#key").fill(KEY)
    page.keyboard.press("Enter")
    _is_signed_in(page)
    assert all(_REFUSED.match(complaint) for complaint in watched.complaints)


def test_the_session_is_out_of_reach_of_scripts(watched: Watched, server: ServerProcess) -> None:
    page = watched.page
    page.goto(_link(server))
    _is_signed_in(page)
    (cookie,) = page.context.cookies()
    assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
    assert page.evaluate("document.cookie") == ""
    assert KEY not in json.dumps(page.context.storage_state())


def test_a_session_that_was_signed_out_is_over(watched: Watched, server: ServerProcess) -> None:
    page = watched.page
    page.goto(_link(server))
    _is_signed_in(page)
    cookies = page.context.cookies()
    assert page.evaluate("async () => (await fetch('/api/logout', {method: 'POST'})).status") == 200
    assert page.context.cookies() == []
    page.context.add_cookies([{"name": c["name"], "value": c["value"], "url": server.url} for c in cookies])
    page.reload()
    _is_signed_out(page)


@pytest.mark.parametrize("width", [360, 390])
def test_the_page_fits_a_phone(watched: Watched, server: ServerProcess, width: int) -> None:
    page = watched.page
    page.set_viewport_size({"width": width, "height": 700})
    page.goto("/")
    _is_signed_out(page)
    assert _overflow(page) == 0
    page.goto(_link(server))
    _is_signed_in(page)
    assert _overflow(page) == 0


def _overflow(page: Page) -> int:
    wide: int = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return wide
