"""Chromium, and a server for it to look at. These tests run last: what drives the browser keeps an event loop running,
and asynchronous tests cannot begin beside it."""

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Dialog, Page, sync_playwright
from tests.acceptance.conftest import environment_for
from tests.acceptance.support.model import model_in_thread
from tests.acceptance.support.obedient import Obedient
from tests.acceptance.support.processes import left_in

from glasshouse.testing.server_process import ServerProcess, running_server

_HERE = Path(__file__).parent
_AXE = _HERE.parents[1] / "web" / "node_modules" / "axe-core" / "axe.min.js"
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


@pytest.fixture(scope="session")
def obedient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """Its model does what the prompt says."""
    home = tmp_path_factory.mktemp("obedient")
    with (
        model_in_thread([Obedient()]) as model,
        running_server(home, environment=environment_for(model, home)) as running,
    ):
        yield running
    left = left_in(home)
    assert not left


StartServer = Callable[..., ServerProcess]


@pytest.fixture
def start_server(tmp_path: Path) -> Iterator[StartServer]:
    """An obedient server of the test's own; `arguments` and settings as they are given."""
    with ExitStack() as stack:

        def start(*arguments: str, **settings: str) -> ServerProcess:
            model = stack.enter_context(model_in_thread([Obedient()]))
            environment = {**environment_for(model, tmp_path), **settings}
            return stack.enter_context(running_server(tmp_path, arguments=arguments, environment=environment))

        yield start
    left = left_in(tmp_path)
    assert not left


@pytest.fixture
def axe() -> str:
    if not _AXE.exists():
        pytest.skip("the console's tools are not installed: scripts/web test installs them")
    return _AXE.read_text()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port


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
        page.on("dialog", self._dialog)
        self.dialogs: list[str] = []

    def _dialog(self, dialog: Dialog) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    @property
    def foreign(self) -> list[str]:
        return [url for url in self.asked if not url.startswith((f"{self.url}/", "data:"))]


Watch = Callable[[ServerProcess], Watched]


@pytest.fixture
def watch(browser: Browser) -> Iterator[Watch]:
    """Pages on any server, each in a context of its own."""
    with ExitStack() as stack:

        def open_page(server: ServerProcess) -> Watched:
            context = browser.new_context(base_url=server.url, locale="en-GB")
            stack.callback(context.close)
            context.set_default_timeout(20_000)
            return Watched(context.new_page(), server)

        yield open_page


@pytest.fixture
def watched(watch: Watch, server: ServerProcess) -> Watched:
    """In a context of its own, with no cookie yet."""
    return watch(server)
