"""From an address to a composer that can be typed in, with nothing cached, beside the server's smallest file."""

import tempfile
from pathlib import Path

from playwright.sync_api import Browser

from benchmarks.chromium import chromium, new_page
from benchmarks.figure import AtMost, Figure
from benchmarks.turns import in_turns
from glasshouse.testing.server_process import running_server

# From the page itself: how long a driver takes to notice is not the console's time.
_USABLE = """() => new Promise((usable) => {
    const look = () => {
        if (document.querySelector("textarea:enabled")) usable(performance.now());
        else requestAnimationFrame(look);
    };
    look();
})"""
_LOADED = "() => performance.getEntriesByType('navigation')[0].loadEventEnd"


def measure(*, rounds: int = 10) -> Figure:
    with tempfile.TemporaryDirectory() as home, running_server(Path(home)) as server, chromium() as browser:
        baseline, measured = in_turns(
            rounds,
            lambda: _milliseconds(browser, server.url, "/icon.svg", _LOADED),
            lambda: _milliseconds(browser, server.url, "/", _USABLE),
        )
    return Figure(
        what="console: cold, to a usable composer",
        unit="ms",
        baseline_is="one small picture",
        baseline=baseline,
        measured=measured,
        target=AtMost(1000, "ms"),
    )


def _milliseconds(browser: Browser, url: str, path: str, until: str) -> float:
    with new_page(browser, url) as page:
        page.goto(path, wait_until="load" if until == _LOADED else "commit")
        taken: float = page.evaluate(until)
        return taken
