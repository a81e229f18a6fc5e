"""Events of one session to many readers over HTTP, beside a server that can do nothing else."""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from time import perf_counter

from benchmarks.crowd import Crowd
from benchmarks.figure import AtLeastTimes, Figure
from benchmarks.sse_client import call
from benchmarks.turns import in_turns
from glasshouse.testing.server_process import KEY

_KEY = {"Authorization": f"Bearer {KEY}"}


def measure(*, rounds: int = 7, events: int = 2_000, readers: int = 100) -> Figure:
    with (
        tempfile.TemporaryDirectory() as home,
        _server("benchmarks.bare_fan_out", events, {}) as bare,
        _server("benchmarks.scripted_server", events, _settings(home)) as ours,
    ):
        baseline, measured = in_turns(
            rounds,
            lambda: bare.events_a_second("/", {}, events, readers),
            lambda: ours.events_a_second(ours.new_task(), _KEY, events, readers),
        )
    return Figure(
        what=f"events to {readers} SSE subscribers",
        unit="1/s",
        baseline_is="a bare ASGI fan-out, one event a write",
        baseline=baseline,
        measured=measured,
        target=AtLeastTimes(0.7),
    )


class _Server:
    def __init__(self, pid: int, port: int) -> None:
        self._pid = pid
        self._url = f"http://127.0.0.1:{port}"

    def new_task(self) -> str:
        """The path of its stream."""
        body = {"prompt": "emit", "wait_s": 0}
        task = asyncio.run(call("POST", self._url, "/api/task", _KEY, body))
        return f"/api/task/{task['task_id']}/stream"

    def events_a_second(self, path: str, headers: Mapping[str, str], events: int, readers: int) -> float:
        """Delivered in total, from the sign to begin until everybody has everything."""
        crowd = Crowd(self._url, path, headers, readers)
        try:
            begun = perf_counter()
            os.kill(self._pid, signal.SIGUSR1)
            crowd.take(events * readers)
            return events * readers / (perf_counter() - begun)
        finally:
            crowd.close()


@contextmanager
def _server(module: str, events: int, settings: Mapping[str, str]) -> Iterator[_Server]:
    environment = {**os.environ, **settings}
    command = [sys.executable, "-m", module, str(events)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            yield _Server(process.pid, int(process.stdout.readline()))
        finally:
            process.terminate()


def _settings(home: str) -> dict[str, str]:
    return {
        "HOME": home,
        "GLASSHOUSE_API_KEY": KEY,
        "GLASSHOUSE_DATA_DIR": f"{home}/data",
        "GLASSHOUSE_RATE_LIMIT": "0",
        "WORKING_DIR": home,
    }
