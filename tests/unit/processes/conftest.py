import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType

import pytest
import uvloop
from tests.unit.processes.support import IDENTITY, OTHER_IDENTITY, Place, Server, Start, StartServer

from glasshouse.adapters.processes import SupervisedProcesses


def pytest_asyncio_loop_factories() -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    return {"asyncio": asyncio.new_event_loop, "uvloop": uvloop.new_event_loop}


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    path = tmp_path / "place"
    path.mkdir()
    place = Place(path)
    yield place
    for pid in place.left():
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@pytest.fixture
def processes(tmp_path: Path) -> SupervisedProcesses:
    return SupervisedProcesses(tmp_path / "data", IDENTITY)


@pytest.fixture
def other_processes(tmp_path: Path) -> SupervisedProcesses:
    """Of another data directory."""
    return SupervisedProcesses(tmp_path / "other data", OTHER_IDENTITY)


@pytest.fixture
def start(place: Place, processes: SupervisedProcesses) -> Start:
    async def begin(
        program: str,
        *arguments: str,
        run_id: str = "run-1",
        by: SupervisedProcesses = processes,
        environment: Mapping[str, str] = MappingProxyType({}),
    ) -> Process:
        environment = {**os.environ, **by.environment(run_id, program), **environment}
        return await asyncio.create_subprocess_exec(
            by.launcher, *arguments, env=environment, cwd=place.path, stdin=PIPE, stdout=PIPE, stderr=PIPE
        )

    return begin


@pytest.fixture
def start_server(tmp_path: Path, place: Place, start: Start) -> StartServer:
    """On the test's own data directory, or as a run of another server."""
    script = str(Path(__file__).with_name("server.py"))

    async def begin(*, identity: str = IDENTITY, below: SupervisedProcesses | None = None) -> Server:
        loop = type(asyncio.get_running_loop()).__module__.partition(".")[0]
        arguments = (script, loop, str(tmp_path / f"data of {identity}"), identity)
        if below is not None:
            return Server(await start(sys.executable, *arguments, by=below))
        return Server(
            await asyncio.create_subprocess_exec(sys.executable, *arguments, cwd=place.path, stdin=PIPE, stdout=PIPE)
        )

    return begin


@pytest.fixture
async def server(start_server: StartServer) -> Server:
    return await start_server()
