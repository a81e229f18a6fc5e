"""History over a corpus of transcripts: the first index, lists, searches, and what grows while somebody looks."""

import asyncio
import json
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any
from urllib.parse import urlencode

import uvloop
from websockets.asyncio.client import connect

from benchmarks.commands import Responder, responder
from benchmarks.corpus import Corpus, make_corpus
from benchmarks.family import descendants
from benchmarks.figure import AtMost, AtMostTimes, Figure, Spread, Target
from benchmarks.idle_memory import proportional_set_mib
from benchmarks.sse_client import call
from benchmarks.turns import in_turns_async
from glasshouse.adapters.session_index import TranscriptIndex
from glasshouse.testing.server_process import ServerProcess

SESSIONS = 2_000
_PATIENCE_S = 300.0
_SEARCHER = "rg" if shutil.which("rg") else "grep -r"


@dataclass(frozen=True)
class Library:
    """A corpus, the program that works without an index, and room for one."""

    corpus: Corpus
    bare: Responder
    room: Path

    @property
    def projects(self) -> Path:
        return self.corpus.config_dir / "projects"

    async def indexed(self, index: TranscriptIndex, *, searchable: bool) -> None:
        await index.open()
        await index.follow()
        async with asyncio.timeout(_PATIENCE_S):
            while True:
                known = await index.fresh(_PATIENCE_S)
                if known.listed == known.total and (known.searchable == known.total or not searchable):
                    return
                await asyncio.sleep(0.01)

    def server(self, name: str) -> ServerProcess:
        home = self.room / name
        home.mkdir()
        environment = {
            "CLAUDE_CONFIG_DIR": str(self.corpus.config_dir),
            "GLASSHOUSE_ALLOWED_DIRS": f"{home / 'work'}{os.pathsep}/home/somebody",
        }
        return ServerProcess(home, environment=environment)


@asynccontextmanager
async def library(sessions: int) -> AsyncIterator[Library]:
    with tempfile.TemporaryDirectory() as folder:
        corpus = make_corpus(Path(folder) / "claude", sessions=sessions)
        environment = {"PATH": os.environ["PATH"], "CLAUDE_CONFIG_DIR": str(corpus.config_dir)}
        async with responder("benchmarks.bare_sessions", f"{folder}/claude/projects", environment=environment) as bare:
            yield Library(corpus, bare, Path(folder))


def cold_index(*, sessions: int = SESSIONS, rounds: int = 3) -> Figure:
    """Until every list is whole and true."""

    async def measured(at: Library) -> tuple[Spread, Spread]:
        number = iter(range(1_000))

        async def build() -> float:
            index = TranscriptIndex(at.room / f"{next(number)}.db", roots={False: at.projects, True: at.room / "none"})
            begun = perf_counter()
            await at.indexed(index, searchable=False)
            took = (perf_counter() - begun) * 1000
            await index.close()
            return took

        return await in_turns_async(rounds, lambda: at.bare.answer("parse"), build)

    return _figure(sessions, measured, "cold index, lists whole", "orjson, one core", AtMostTimes(0.8))


def warm_list(*, sessions: int = SESSIONS, rounds: int = 20) -> Figure:
    async def measured(at: Library) -> tuple[Spread, Spread]:
        async with _served(at) as server:
            return await in_turns_async(
                rounds, lambda: at.bare.answer("list"), lambda: _timed(server, "/api/sessions?limit=50")
            )

    return _figure(sessions, measured, "warm list over HTTP", "the SDK's list_sessions", AtMostTimes(0.02))


def search(*, sessions: int = SESSIONS, rounds: int = 20) -> Figure:
    async def measured(at: Library) -> tuple[Spread, Spread]:
        async with _served(at) as server:
            word = at.corpus.rare_word
            path = f"/api/sessions?{urlencode({'q': word})}"
            found = await call("GET", server.url, path, server.headers)
            assert len(found["sessions"]) == at.corpus.rare_in, found
            return await in_turns_async(rounds, lambda: at.bare.answer(word), lambda: _timed(server, path))

    return _figure(sessions, measured, "full-text search over HTTP", _SEARCHER, AtMostTimes(1))


def memory(*, sessions: int = SESSIONS) -> Figure:
    """Of the server and all its processes together, until the last text can be searched; the baseline is afterwards."""

    async def measured(at: Library) -> tuple[Spread, Spread]:
        server = at.server("memory")
        await asyncio.to_thread(server.start)
        try:
            held: list[float] = []
            done = asyncio.create_task(_all_searchable(server))
            while not done.done():
                held.append(_held_by_all(server.pid))
                await asyncio.sleep(0.02)
            await done
            return Spread.of([_held_by_all(server.pid)]), Spread.of([max(held)])
        finally:
            await asyncio.to_thread(server.stop)

    return _figure(
        sessions, measured, "peak memory while indexing", "the same, at rest", AtMost(300, "MiB"), unit="MiB"
    )


def growth(*, sessions: int = SESSIONS, rounds: int = 20) -> Figure:
    """From a line in a terminal's transcript to the socket; the baseline is the writing of it."""

    async def measured(at: Library) -> tuple[Spread, Spread]:
        path = at.corpus.files[len(at.corpus.files) // 2]
        line = path.read_bytes().splitlines(keepends=True)[-3]
        written, told = [], []
        async with _served(at) as server:
            address = server.url.replace("http://", "ws://") + "/api/events/ws"
            async with connect(address, additional_headers=server.headers, proxy=None) as socket:
                await socket.send(json.dumps({"op": "subscribe", "session_id": "*"}))
                await socket.recv()
                for _ in range(rounds):
                    begun = perf_counter()
                    with path.open("ab") as file:
                        file.write(line)
                    written.append((perf_counter() - begun) * 1000)
                    async with asyncio.timeout(_PATIENCE_S):
                        while "session_changed" not in json.loads(await socket.recv()):
                            pass
                    told.append((perf_counter() - begun) * 1000)
        return Spread.of(written), Spread.of(told)

    return _figure(sessions, measured, "growing in a terminal to shown", "the write", AtMost(1_000, "ms"))


def _figure(
    sessions: int,
    measured: Callable[[Library], Awaitable[tuple[Spread, Spread]]],
    what: str,
    baseline_is: str,
    target: Target,
    *,
    unit: str = "ms",
) -> Figure:
    async def run() -> Figure:
        async with library(sessions) as at:
            baseline, ours = await measured(at)
            note = f"{at.corpus.sessions:,} sessions, {at.corpus.bytes / 1e6:,.0f} MB, {at.corpus.lines:,} lines"
            return Figure(what, unit, baseline_is, baseline, ours, target, note)

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(run())


@asynccontextmanager
async def _served(at: Library) -> AsyncIterator[ServerProcess]:
    server = at.server("served")
    await asyncio.to_thread(server.start)
    try:
        await _all_searchable(server)
        yield server
    finally:
        await asyncio.to_thread(server.stop)


async def _all_searchable(server: ServerProcess) -> None:
    async with asyncio.timeout(_PATIENCE_S):
        while True:
            page: dict[str, Any] = await call("GET", server.url, "/api/sessions?q=x&limit=1", server.headers)
            if page["indexing"] is None and page["searched"] is None:
                return
            await asyncio.sleep(0.05)


async def _timed(server: ServerProcess, path: str) -> float:
    begun = perf_counter()
    await call("GET", server.url, path, server.headers)
    return (perf_counter() - begun) * 1000


def _held_by_all(pid: int) -> float:
    held = 0.0
    for each in (pid, *descendants(pid)):
        try:
            held += proportional_set_mib(each)
        except OSError:  # it ended meanwhile
            continue
    return held
