"""Debian's Chromium, and pages of a server in it, signed in."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page, sync_playwright

from glasshouse.testing.server_process import KEY

_CHROMIUM = os.environ.get("GLASSHOUSE_TEST_CHROMIUM", "/usr/bin/chromium")
_WINDOW = (1280, 800)


@contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_CHROMIUM, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def new_page(browser: Browser, url: str) -> Iterator[Page]:
    """Nothing is cached; its cookie is good for the server at this address."""
    context = browser.new_context(base_url=url, viewport={"width": _WINDOW[0], "height": _WINDOW[1]})
    try:
        context.request.post("/api/login", data={"key": KEY})
        yield context.new_page()
    finally:
        context.close()
