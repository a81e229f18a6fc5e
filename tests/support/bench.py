"""Core on a workbench: its own parts as they ship, the fakes behind its ports."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from glasshouse.adapters.queue.local import LocalQueue
from glasshouse.contract.ids import new_id
from glasshouse.contract.task import TaskRequest
from glasshouse.core.admission import Admission, TaskPolicy
from glasshouse.core.directories import Directories
from glasshouse.core.execution import Execution
from glasshouse.core.paths import DirectoryGuard
from glasshouse.core.ports import Engine, KnownSession, TaskRecord
from glasshouse.core.waiting import until_ended
from glasshouse.testing.manual_clock import ManualClock
from glasshouse.testing.memory_sessions import MemorySessions
from glasshouse.testing.memory_store import MemoryStore
from glasshouse.testing.scripted_engine import ScriptedEngine

PATIENCE_S = 20.0
Event = dict[str, Any]


class Bench:
    """A server's core without a door. `begin` lets the queue run what is admitted."""

    def __init__(
        self,
        root: Path,
        engine: ScriptedEngine | None = None,
        *,
        store: MemoryStore | None = None,
        policy: TaskPolicy | None = None,
        timeout_s: float = 0,
    ) -> None:
        self.root = root
        self.work = _made(root / "work")
        self.clock = ManualClock()
        self.store = store or MemoryStore()
        self.queue = LocalQueue()
        self.engine = engine or ScriptedEngine()
        self.sessions = MemorySessions()
        self.directories = Directories(
            default=self.work, allowed=(self.work,), guard=DirectoryGuard(allowed=(self.work,)), warnings=()
        )
        engines: dict[str, Engine] = {self.engine.name: self.engine}
        self.admission = Admission(
            store=self.store,
            queue=self.queue,
            sessions=self.sessions,
            engines=engines,
            directories=self.directories,
            policy=policy or TaskPolicy(),
            clock=self.clock,
            language="en",
        )
        self.execution = Execution(
            store=self.store,
            engines=engines,
            clock=self.clock,
            language="en",
            timeout_s=timeout_s,
            tools_bound=None,
        )

    async def begin(self) -> None:
        await self.queue.start(self.execution.run)

    def directory(self, name: str) -> Path:
        return _made(self.work / name)

    def knows_session(self, working_dir: Path, *, offline: bool = False) -> str:
        """Of a conversation that was begun elsewhere."""
        session_id = new_id()
        self.sessions.add(KnownSession(session_id, str(working_dir), offline))
        return session_id

    async def admit(self, prompt: str = "do it", *, deltas: bool = False, **fields: Any) -> TaskRecord:
        admitted = await self.admission.admit(asked(prompt, **fields), deltas=deltas)
        return admitted.record

    async def ended(self, task: TaskRecord) -> TaskRecord:
        async with asyncio.timeout(PATIENCE_S):
            return await until_ended(self.store, task)

    async def do(self, prompt: str = "do it", **fields: Any) -> TaskRecord:
        """From the request to the end."""
        return await self.ended(await self.admit(prompt, **fields))

    async def now(self, task: TaskRecord) -> TaskRecord:
        record = await self.store.task(task.task_id)
        assert record is not None
        return record

    async def events(self, task: TaskRecord) -> list[Event]:
        frames = await self.store.read(task.session_id, after=0, limit=100_000, task_id=task.task_id)
        return [json.loads(frame.body) for frame in frames]

    async def ends(self, task: TaskRecord) -> list[Event]:
        return [event for event in await self.events(task) if event["type"] == "complete"]


def asked(prompt: str = "do it", **fields: Any) -> TaskRequest:
    """As a door reads it: JSON, validated."""
    return TaskRequest.model_validate_json(json.dumps({"prompt": prompt, **fields}))


@asynccontextmanager
async def opened(bench: Bench) -> AsyncIterator[Bench]:
    await bench.store.open()
    try:
        yield bench
    finally:
        bench.execution.shut_down()
        async with asyncio.timeout(PATIENCE_S):
            await bench.queue.stop()
        await bench.store.close()


def _made(path: Path) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    return path.resolve()
