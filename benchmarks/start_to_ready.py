"""From the start of the process to a server that takes tasks, beside the imports that every such server has."""

import tempfile
from pathlib import Path
from time import perf_counter

from benchmarks.commands import milliseconds_of
from benchmarks.figure import AtMostTimes, Figure
from benchmarks.sse_client import status_of
from benchmarks.turns import in_turns
from glasshouse.testing.server_process import ServerProcess

_IMPORTS = "import fastapi, uvicorn"


def measure(*, rounds: int = 10) -> Figure:
    baseline, measured = in_turns(rounds, lambda: milliseconds_of("-c", _IMPORTS), _start)
    return Figure(
        what="start to /ready",
        unit="ms",
        baseline_is=_IMPORTS,
        baseline=baseline,
        measured=measured,
        target=AtMostTimes(2),
    )


def _start() -> float:
    """A first start, with a data directory to be made."""
    with tempfile.TemporaryDirectory() as home:
        server = ServerProcess(Path(home))
        begun = perf_counter()
        server.start()
        try:
            assert status_of(server.url, "/ready") == 200
            return (perf_counter() - begun) * 1000
        finally:
            server.stop()
