"""A server's life as a process of its own, which ends in the middle where it is told to: `life.py PLAN`.

It begins where the life before it ended, says its message once, answers what is asked after that, and writes how all
of it ended.
"""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from tests.acceptance.questions.life import around
from tests.integration.engines.house import House
from tests.integration.engines.stage import Stage

from glasshouse.adapters.processes import SupervisedProcesses
from glasshouse.adapters.store.sqlite import SqliteStore
from glasshouse.contract.instruction import ReceiptState
from glasshouse.core.instructions import Instructions
from glasshouse.core.ports import ModelEndpoint, TaskRecord
from glasshouse.engines.claude.process import ClaudeProcess
from glasshouse.engines.claude.steering import Steering
from glasshouse.testing.offline_model import OfflineModel


class Death:
    """Comes once, at a named point."""

    def __init__(self, plan: dict[str, Any]) -> None:
        self._plan = plan
        self._mark = Path(plan["root"], "died")

    async def at(self, point: str) -> None:
        if point == self._plan["point"] and not self._mark.exists():
            self._mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)

    def set_up(self) -> None:
        around(Instructions, "message", before=lambda *_: self.at("before the record"))
        around(Instructions, "message", after=lambda *_: self.at("accepted"))
        around(Instructions, "note", after=self._noted)
        around(ClaudeProcess, "ask", after=self._given)
        around(Steering, "see", after=self._seen)

    async def _noted(self, _: object, __: object, told: Any, receipt: ReceiptState, *___: object) -> None:
        if told:
            await self.at(receipt.value)

    async def _given(self, _: object, text: str, *__: object) -> None:
        if text == self._plan["content"]:
            await self.at("given")

    async def _seen(self, steering: Any, _: object) -> None:
        if steering._taken:
            await self.at("taken")


async def live(plan: dict[str, Any]) -> None:
    root = Path(plan["root"])
    processes = SupervisedProcesses(root / "launcher", plan["identity"])
    await processes.sweep()
    Death(plan).set_up()
    endpoint = ModelEndpoint(plan["url"], plan["key"])
    stage = Stage(root, processes, OfflineModel([]), endpoint, [])
    house = House(stage, SqliteStore(root / "log.db"))
    await house.begin()
    tools = None if plan["asks"] else ("Bash",)
    record = await house.store.task(plan["task_id"])
    if record is None:
        record = await house.admit(plan["prompt"], task_id=plan["task_id"], tools=tools)
    talking = asyncio.create_task(_talk(house, record, plan))
    ended = await house.ended(record)
    talking.cancel()
    await asyncio.gather(talking, return_exceptions=True)
    report = {
        "status": ended.status.value,
        "receipts": await house.receipts(record, plan["message_id"]),
        "completes": len(await house.events(record, "complete")),
    }
    await asyncio.to_thread(Path(root, "report.json").write_text, json.dumps(report))
    await house.leave()
    await house.store.close()


async def _talk(house: House, task: TaskRecord, plan: dict[str, Any]) -> None:
    root = Path(plan["root"])
    if plan["asks"]:
        await house.asked(task)
    else:
        await house.until_calls(task)
    if not (root / "said").exists():
        (root / "said").touch()
        await house.say(task, plan["content"], plan["mode"], plan["message_id"])
        if plan["mode"] == "steer":
            await house.until_queued_in_claude_code(task, plan["content"])
    (root / "go").touch()
    while True:
        for question in await house.questions(task, pending=True):
            await house.answer(question, "allow")
        await asyncio.sleep(0.02)


if __name__ == "__main__":
    asyncio.run(live(json.loads(Path(sys.argv[1]).read_text())))
