"""What a server that waits for its first task holds, beside a process that has imported the same packages."""

import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from time import monotonic, sleep

from benchmarks.figure import AtMostTimes, Figure, Spread
from glasshouse.testing.server_process import running_server

# What the server has imported when it is at rest, but for our own.
_IMPORTS = (
    "import apsw, asyncio, claude_agent_sdk, fastapi, fastapi_swagger, httptools, logging, orjson, pydantic, sys, "
    "uvicorn, uvicorn.protocols.http.httptools_impl, uvicorn.protocols.websockets.websockets_sansio_impl, uvloop"
)
_BARE = f"{_IMPORTS}; print(flush=True); sys.stdin.read()"
_STEADY_S = 1.5
_AT_REST_WITHIN_S = 30.0
_MIB = 1024


def measure(*, rounds: int = 3) -> Figure:
    pairs = [_both_at_rest() for _ in range(rounds)]
    return Figure(
        what="memory of the idle server",
        unit="MiB",
        baseline_is="the same imports, bare",
        baseline=Spread.of([bare for bare, _ in pairs]),
        measured=Spread.of([server for _, server in pairs]),
        target=AtMostTimes(1.3),
        note="the share that is each one's own, while both run",
    )


def _both_at_rest() -> tuple[float, float]:
    with ExitStack() as running:
        home = running.enter_context(tempfile.TemporaryDirectory())
        server = running.enter_context(running_server(Path(home)))
        bare = running.enter_context(
            subprocess.Popen([sys.executable, "-c", _BARE], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        )
        assert bare.stdout is not None
        bare.stdout.readline()
        wait_for_rest(server.pid)
        held = proportional_set_mib(bare.pid), proportional_set_mib(server.pid)
        bare.communicate()
        return held


def wait_for_rest(pid: int) -> None:
    """The SDK is imported once the server is ready, and nothing tells when that is done but that it grows no more."""
    deadline = monotonic() + _AT_REST_WITHIN_S
    last, since = 0, monotonic()
    while monotonic() - since < _STEADY_S and monotonic() < deadline:
        if (now := _resident_pages(pid)) != last:
            last, since = now, monotonic()
        sleep(0.05)


def _resident_pages(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1])


def proportional_set_mib(pid: int) -> float:
    """Pages that several processes share count for each by its part."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        name, _, size = line.partition(":")
        if name == "Pss":
            return int(size.split()[0]) / _MIB
    raise LookupError(f"the kernel does not say what process {pid} holds")
