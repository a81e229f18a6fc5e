"""Chromium, and a server for it to look at. These tests run last: what drives the browser keeps an event loop running,
and asynchronous tests cannot begin beside it."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from glasshouse.testing.server_process import ServerProcess, running_server

_HERE = Path(__file__).parent
_DEBIANS = "/usr/bin/chromium"
_QUIET = (
    # Chromium's own sandbox wants rights that a container seldom gives.
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-first-run",
    "--no-pings",
)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.path.is_relative_to(_HERE))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    chromium = os.environ.get("GLASSHOUSE_TEST_CHROMIUM", _DEBIANS)
    if not os.access(chromium, os.X_OK):
        pytest.skip(f"no Chromium at {chromium}")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=_QUIET)
        yield running
        running.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with running_server(tmp_path_factory.mktemp("browser")) as running:
        yield running


class Watched:
    """A page, with all that it asked for and complained of."""

    def __init__(self, page: Page, server: ServerProcess) -> None:
        self.page = page
        self.url = server.url
        self.asked: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("console", lambda message: self.complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    @property
    def foreign(self) -> list[str]:
        return [url for url in self.asked if not url.startswith((f"{self.url}/", "data:"))]


@pytest.fixture
def watched(browser: Browser, server: ServerProcess) -> Iterator[Watched]:
    """In a context of its own, with no cookie yet."""
    context = browser.new_context(base_url=server.url, locale="en-GB")
    context.set_default_timeout(20_000)
    yield Watched(context.new_page(), server)
    context.close()
