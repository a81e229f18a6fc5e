"""A server's life as a process of its own, which ends in the middle where it is told to: `life.py PLAN`.

Its plan is a JSON file. It begins where the life before it ended, answers what waits, and writes how the task ended.
"""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from tests.integration.engines.house import House
from tests.integration.engines.stage import Stage

from glasshouse.adapters.processes import SupervisedProcesses
from glasshouse.adapters.store.sqlite import SqliteStore
from glasshouse.contract.question import QuestionKind
from glasshouse.core.ports import ModelEndpoint
from glasshouse.core.questions.desk import Desk
from glasshouse.engines.claude.activity import results_in
from glasshouse.engines.claude.drive import Drive
from glasshouse.engines.claude.patience import Waiting
from glasshouse.engines.claude.permissions import Permissions
from glasshouse.engines.claude.process import ClaudeProcess
from glasshouse.testing.offline_model import OfflineModel


class Death:
    """Comes once, at a named point, to the server, its Claude Code, or both."""

    def __init__(self, plan: dict[str, Any], processes: SupervisedProcesses) -> None:
        self._point, self._who = plan["point"], plan["who"]
        self._mark = Path(plan["root"], "died")
        self._processes = processes

    async def at(self, point: str) -> None:
        if point != self._point or self._mark.exists():
            return
        self._mark.touch()
        if self._who != "server":
            await self._processes.sweep()
        if self._who != "cli":
            os.kill(os.getpid(), signal.SIGKILL)

    def set_up(self) -> None:
        """The points, around the parts as they are."""
        around(Desk, "ask", before=lambda *_: self.at("before the record"), after=self._recorded)
        around(Desk, "answer", after=lambda *_: self.at("trust answered"))
        around(Drive, "_end", before=self._deferred)
        around(ClaudeProcess, "start", before=self._starts, after=lambda *_: self.at("started"))
        around(Waiting, "settled", after=lambda *_: self.at("presented"))
        around(Drive, "_tell", before=self._told)
        around(Waiting, "settled_hot", after=lambda *_: self.at("permission answered"))
        around(Permissions, "_on_permission", after=lambda *_: self.at("permission given"))

    async def _recorded(self, _: object, __: object, asking: Any) -> None:
        if asking.kind is QuestionKind.TRUST:
            await self.at("trust asked")
        elif asking.kind is not QuestionKind.QUESTION:
            await self.at("permission asked")
        else:
            await self.at("recorded" if asking.call_id == "toolu_q" else "second recorded")

    async def _deferred(self, drive: Any, *_: object) -> None:
        if drive._turn.deferred:
            await self.at("deferred")

    async def _starts(self, process: Any, *_: object) -> None:
        if await asyncio.to_thread(Path(self._mark.parent, "answered").exists):
            await self.at("answered")

    async def _told(self, _: object, message: Any) -> None:
        if "toolu_q" in results_in(message):
            await self.at("given")
        elif results_in(message):
            await self.at("ran")


def around(
    kind: type,
    name: str,
    *,
    before: Callable[..., Awaitable[None]] | None = None,
    after: Callable[..., Awaitable[None]] | None = None,
) -> None:
    inner = getattr(kind, name)

    async def outer(*arguments: Any, **named: Any) -> Any:
        if before is not None:
            await before(*arguments)
        result = await inner(*arguments, **named)
        if after is not None:
            await after(*arguments)
        return result

    setattr(kind, name, outer)


async def live(plan: dict[str, Any]) -> None:
    root = Path(plan["root"])
    processes = SupervisedProcesses(root / "launcher", plan["identity"])
    await processes.sweep()
    Death(plan, processes).set_up()
    endpoint = ModelEndpoint(plan["url"], plan["key"])
    stage = Stage(root, processes, OfflineModel([]), endpoint, [])
    house = House(stage, SqliteStore(root / "log.db"), defer=plan["defer"], hot_s=plan["hot_s"], trust=plan["trust"])
    await house.begin()
    record = await house.store.task(plan["task_id"])
    tools = None if plan["tools"] is None else tuple(plan["tools"])
    if record is None:
        record = await house.admit(
            plan["prompt"], task_id=plan["task_id"], tools=tools, permission_mode=plan["permission_mode"]
        )
    answering = asyncio.create_task(_answer_all(house, plan))
    ended = await house.ended(record)
    answering.cancel()
    seen = await house.questions(record)
    report = {
        "status": ended.status.value,
        "message": ended.result.message if ended.result else None,
        "questions": [{"id": q.question_id, "answer": q.answer, "way": q.way, "state": q.state.value} for q in seen],
    }
    await asyncio.to_thread(Path(root, "report.json").write_text, json.dumps(report))
    await house.leave()
    await house.store.close()


async def _answer_all(house: House, plan: dict[str, Any]) -> None:
    record = await house.store.task(plan["task_id"])
    assert record is not None
    while True:
        for question in await house.questions(record, pending=True):
            if plan["point"] == "deferred" and plan["defer"] == "auto":
                await house.until_left(record)
            await asyncio.to_thread(Path(plan["root"], "answered").touch)
            await house.answer(question, plan["answers"].get(question.kind.value, plan["answer"]))
        await asyncio.sleep(0.02)


if __name__ == "__main__":
    asyncio.run(live(json.loads(Path(sys.argv[1]).read_text())))
