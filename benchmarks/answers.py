"""Questions: from an answer to what follows, what an answer itself costs, and what ten thousand of them weigh."""

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

import apsw

from benchmarks.commands import responder
from benchmarks.family import descendants
from benchmarks.figure import AtMostMore, AtMostTimes, Figure, Spread
from benchmarks.idle_memory import proportional_set_mib, wait_for_rest
from benchmarks.offline_endpoint import stage
from benchmarks.pending_questions import put_pending
from benchmarks.sse_client import address_of, call, events, request
from benchmarks.turns import in_turns_async
from glasshouse.contract.ids import new_id
from glasshouse.testing.offline_model import Call, Say, played
from glasshouse.testing.server_process import ServerProcess, running_server

_PROMPT = "Ask."
_OPTIONS = [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}]
_QUESTION = {"questions": [{"question": "Colour?", "header": "H", "multiSelect": False, "options": _OPTIONS}]}
MANY = 10_000
_FEW = 10


def continuation(*, rounds: int = 20) -> Figure:
    return asyncio.run(_continuation(rounds))


async def _continuation(rounds: int) -> Figure:
    script = played(_PROMPT, (Call("AskUserQuestion", _QUESTION),), Say("Red it is."))
    async with stage(script) as on:
        arguments = (str(on.server.workspace), _PROMPT, "Red")
        async with responder("benchmarks.bare_resume", *arguments, environment=on.environment) as bare:
            baseline, measured = await in_turns_async(
                rounds, lambda: bare.answer(""), lambda: _milliseconds_to_what_follows(on.server)
            )
    return Figure(
        what="answer to continuation, no process before",
        unit="ms",
        baseline_is="the SDK alone resumes a deferred question, same options, same endpoint",
        baseline=baseline,
        measured=measured,
        target=AtMostTimes(1.15),
    )


async def _milliseconds_to_what_follows(server: ServerProcess) -> float:
    task_id, begun = new_id(), 0.0
    body = {"prompt": _PROMPT, "task_id": task_id}
    async for event in events(server.url, "/api/task/stream", server.headers, body):
        if event["type"] == "ask_user_question":
            while descendants(server.pid):  # noqa: ASYNC110 - nobody tells who is not the parent
                await asyncio.sleep(0.005)
            answer = {
                "session_id": event["session_id"],
                "question_id": event["question"]["question_id"],
                "answer": "Red",
            }
            begun = perf_counter()
            await call("POST", server.url, "/api/task/answer", server.headers, answer)
        elif event["type"] == "text":
            return (perf_counter() - begun) * 1000
    raise RuntimeError("the model said nothing after the answer")


def cost(*, rounds: int = 300) -> Figure:
    """Of answers to a program's questions: no agent is started by them."""
    return asyncio.run(_cost(rounds))


async def _cost(rounds: int) -> Figure:
    async with stage(played(_PROMPT, Say("Yes."))) as on:
        first = await call("POST", on.server.url, "/api/task", on.server.headers, {"prompt": _PROMPT})
        asking = {"session_id": first["session_id"], "question": {"question_text": "Colour?", "type": "text"}}
        database = apsw.Connection(str(on.server.home / "bare.db"))
        for statement in ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "CREATE TABLE answer (body TEXT)"):
            database.execute(statement).fetchall()
        async with _connected(on.server) as line:

            async def answered() -> float:
                asked = await line.post("/api/questions", asking)
                answer = {**asked, "answer": "Red"}
                wanted = {name: answer[name] for name in ("session_id", "question_id", "answer")}
                begun = perf_counter()
                await line.post("/api/task/answer", wanted)
                return (perf_counter() - begun) * 1000

            async def committed() -> float:
                begun = perf_counter()
                with database:
                    database.execute("INSERT INTO answer VALUES (?)", (json.dumps(_QUESTION),))
                return (perf_counter() - begun) * 1000

            baseline, measured = await in_turns_async(rounds, committed, answered)
        database.close()
    return Figure(
        what="an answer, HTTP in to durable",
        unit="ms",
        baseline_is="one bare SQLite commit, synchronous FULL",
        baseline=baseline,
        measured=measured,
        target=AtMostTimes(5),
    )


class _Line:
    """One connection that is kept, as a program that answers often has."""

    def __init__(self, server: ServerProcess, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._server, self._reader, self._writer = server, reader, writer

    async def post(self, path: str, body: object) -> Any:
        sent = request("POST", self._server.url, path, self._server.headers, body)
        self._writer.write(sent.replace(b"Connection: close\r\n", b""))
        status = await self._reader.readline()
        length = 0
        while (line := await self._reader.readline()).strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        answer = json.loads(await self._reader.readexactly(length))
        assert b" 20" in status, answer
        return answer


@asynccontextmanager
async def _connected(server: ServerProcess) -> AsyncIterator[_Line]:
    reader, writer = await asyncio.open_connection(*address_of(server.url))
    try:
        yield _Line(server, reader, writer)
    finally:
        writer.close()


def pending_page(*, many: int = MANY, rounds: int = 50) -> Figure:
    async def measured(few: ServerProcess, much: ServerProcess) -> tuple[Spread, Spread]:
        return await in_turns_async(rounds, lambda: _first_page(few), lambda: _first_page(much))

    baseline, ours = _with_pending(many, measured)
    return Figure(
        what=f"first page of {many:,} pending questions",
        unit="ms",
        baseline_is=f"of {_FEW}",
        baseline=baseline,
        measured=ours,
        target=AtMostTimes(2),
    )


def pending_memory(*, many: int = MANY) -> Figure:
    async def measured(few: ServerProcess, much: ServerProcess) -> tuple[Spread, Spread]:
        for server in (few, much):
            await _first_page(server)
            assert not descendants(server.pid), "a question that waits holds a process"
            await asyncio.to_thread(wait_for_rest, server.pid)
        return Spread.of([proportional_set_mib(few.pid)]), Spread.of([proportional_set_mib(much.pid)])

    baseline, ours = _with_pending(many, measured)
    return Figure(
        what=f"memory with {many:,} pending questions",
        unit="MiB",
        baseline_is=f"with {_FEW}",
        baseline=baseline,
        measured=ours,
        target=AtMostMore(50, "MiB"),
        note="no process waits with any of them",
    )


def _with_pending(many: int, measured: Any) -> tuple[Spread, Spread]:
    with tempfile.TemporaryDirectory() as few, tempfile.TemporaryDirectory() as much:
        for home, count in ((few, _FEW), (much, many)):
            put_pending(Path(home) / "data", Path(home) / "work", count)
        with running_server(Path(few)) as first, running_server(Path(much)) as second:
            found: tuple[Spread, Spread] = asyncio.run(measured(first, second))
            return found


async def _first_page(server: ServerProcess) -> float:
    begun = perf_counter()
    page = await call("GET", server.url, "/api/questions?limit=10", server.headers)
    assert len(page["questions"]) == _FEW
    return (perf_counter() - begun) * 1000
