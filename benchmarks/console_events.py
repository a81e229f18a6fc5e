"""10,000 events at 2,000 a second into the built console, through its WebSocket, beside a page that only parses them.

The frames of a second are the console's promise that it can still be read; the longest task, that it can be used.
"""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from playwright.sync_api import Page

from benchmarks.chromium import chromium, new_page
from benchmarks.figure import AtLeast, AtMost, Figure, Spread
from glasshouse.testing.server_process import KEY

_WITHIN_MS = 120_000
# Chromium tells of no task that is shorter.
_TOLD_FROM_MS = 50.0
_WATCH = """() => {
    const seen = (window.seen = { frames: [], tasks: [], running: true });
    new PerformanceObserver((list) => {
        if (seen.running) seen.tasks.push(...list.getEntries().map((entry) => entry.duration));
    }).observe({ type: "longtask" });
    const frame = (at) => {
        if (!seen.running) return;
        seen.frames.push(at);
        requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
}"""
_SEEN = "() => { window.seen.running = false; return { frames: window.seen.frames, tasks: window.seen.tasks }; }"
_PARSE = """(sessionId) => new Promise((ready) => {
    const socket = new WebSocket(`ws://${location.host}/api/events/ws`);
    window.kinds = {};
    socket.onopen = () => socket.send(JSON.stringify({ op: "subscribe", session_id: sessionId, after: 0 }));
    socket.onmessage = ({ data }) => {
        const frame = JSON.parse(data);
        if (frame.op === "subscribed") ready();
        const kind = (frame.event ?? frame.live)?.type;
        if (kind !== undefined) window.kinds[kind] = (window.kinds[kind] ?? 0) + 1;
    };
})"""


def frames(*, rounds: int = 3, events: int = 10_000, rate: int = 2_000) -> Figure:
    bare, console = _measured(rounds, events, rate)
    return Figure(
        what=f"console: frames at {rate:,} events a second",
        unit="1/s",
        baseline_is="a page that only parses them",
        baseline=Spread.of([count for seen in bare for count in seen.a_second]),
        measured=Spread.of([count for seen in console for count in seen.a_second]),
        target=AtLeast(50, "a second"),
    )


def longest_task(*, rounds: int = 3, events: int = 10_000, rate: int = 2_000) -> Figure:
    bare, console = _measured(rounds, events, rate)
    return Figure(
        what=f"console: longest task of {events:,} events",
        unit="ms",
        baseline_is="a page that only parses them",
        baseline=Spread.of([seen.longest_ms for seen in bare]),
        measured=Spread.of([seen.longest_ms for seen in console]),
        target=AtMost(150, "ms"),
        note=f"{_TOLD_FROM_MS:g} is the least that Chromium tells",
    )


@dataclass(frozen=True, slots=True)
class _Seen:
    a_second: list[float]
    longest_ms: float

    @classmethod
    def of(cls, told: dict[str, Any]) -> "_Seen":
        times: list[float] = told["frames"]
        first, last = times[0], times[-1]
        whole = max(1, int((last - first) // 1000))
        span = min(1000.0, last - first)
        counts = [sum(1 for at in times if 0 <= at - first - second * 1000 < span) for second in range(whole)]
        return cls([count * 1000 / span for count in counts], max(told["tasks"], default=_TOLD_FROM_MS))


@cache
def _measured(rounds: int, events: int, rate: int) -> tuple[list[_Seen], list[_Seen]]:
    """In turns, so that the machine's moods hit both. Both figures are of the same run."""
    bare, console = [], []
    with chromium() as browser, _server(events, rate) as server:
        for _ in range(rounds):
            with new_page(browser, server.url) as page:
                bare.append(server.play(page, "bare"))
            with new_page(browser, server.url) as page:
                console.append(server.play(page, "console"))
    return bare, console


class _Server:
    def __init__(self, pid: int, port: int) -> None:
        self._pid = pid
        self.url = f"http://127.0.0.1:{port}"

    def play(self, page: Page, reader: Literal["bare", "console"]) -> _Seen:
        """From the sign to begin until the page has the end."""
        page.set_default_timeout(_WITHIN_MS)
        body = {"prompt": "play", "wait_s": 0}
        session_id = page.request.post("/api/task?deltas=true", data=body).json()["session_id"]
        if reader == "bare":
            page.goto("/icon.svg")
            page.evaluate(_PARSE, session_id)
        else:
            page.goto(f"/session/{session_id}")
            page.get_by_role("log").get_by_text("play").first.wait_for()
        page.evaluate(_WATCH)
        os.kill(self._pid, signal.SIGUSR1)
        if reader == "bare":
            page.wait_for_function("() => window.kinds.complete === 1")
        else:
            page.get_by_role("log").get_by_role("heading", name="已完成").wait_for()
        return _Seen.of(page.evaluate(_SEEN))


@contextmanager
def _server(events: int, rate: int) -> Iterator[_Server]:
    with tempfile.TemporaryDirectory() as home:
        environment = {
            **os.environ,
            "HOME": home,
            "GLASSHOUSE_API_KEY": KEY,
            "GLASSHOUSE_DATA_DIR": f"{home}/data",
            "GLASSHOUSE_RATE_LIMIT": "0",
            "WORKING_DIR": home,
        }
        command = [sys.executable, "-m", "benchmarks.talkative_server", str(events), str(rate)]
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            try:
                yield _Server(process.pid, int(process.stdout.readline()))
            finally:
                process.terminate()
