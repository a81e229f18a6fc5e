"""A data directory in which so many tasks wait, each with a question: as the desk leaves them."""

import asyncio
import os
from pathlib import Path

from glasshouse.adapters.clock import SystemClock
from glasshouse.adapters.data_directory import DataDirectory
from glasshouse.adapters.queue.local import LocalQueue
from glasshouse.adapters.store.sqlite import SqliteStore
from glasshouse.contract.ids import new_id
from glasshouse.contract.task import TaskStatus
from glasshouse.core.ports import Append, Asking, SessionRecord, TaskIsNew, TaskRecord
from glasshouse.core.questions.desk import Desk
from glasshouse.core.questions.forms import from_claude
from glasshouse.core.questions.uptime import Uptime
from glasshouse.core.times import timestamp

_OPTIONS = [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}]
_ASKED = {"questions": [{"question": "Colour?", "header": "H", "multiSelect": False, "options": _OPTIONS}]}
_AT_ONCE = 200


def put_pending(data: Path, working_dir: Path, count: int) -> None:
    directory = DataDirectory(data)
    directory.prepare()
    working_dir.mkdir(parents=True, exist_ok=True)
    asyncio.run(_put(directory.path, str(working_dir), count))


async def _put(data: Path, working_dir: str, count: int) -> None:
    store, clock = SqliteStore(data / "glasshouse.db"), SystemClock()
    await store.open()
    uptime = Uptime(store=store, clock=clock)
    desk = Desk(store=store, queue=LocalQueue(), clock=clock, uptime=uptime, language="en", timeout_s=0, limit=10)

    async def wait() -> None:
        session_id, call_id, now = new_id(), f"toolu_{os.urandom(8).hex()}", timestamp(clock.now())
        request = {"prompt": "Ask.", "questions": []}
        task = TaskRecord(
            new_id(), session_id, "claude", TaskStatus.RUNNING, working_dir, request, now, generation=1, started_at=now
        )
        session = SessionRecord(session_id, "claude", working_dir, now, False)
        await store.append(Append(session_id, task=task, session=session, expect=[TaskIsNew(task.task_id)]))
        memo = {"tool": "AskUserQuestion", "input": _ASKED}
        await desk.ask(task, Asking(call_id, from_claude(call_id, _ASKED), memo=memo))

    for begun in range(0, count, _AT_ONCE):
        await asyncio.gather(*(wait() for _ in range(begun, min(count, begun + _AT_ONCE))))
    await store.close()
