"""Core on a workbench: its own parts as they ship, the fakes behind its ports."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from glasshouse.adapters.attachments import AttachmentFolders
from glasshouse.adapters.queue.local import LocalQueue
from glasshouse.claude_home import ClaudeHome
from glasshouse.claude_home.conversation import ConversationReader
from glasshouse.contract.ids import new_id
from glasshouse.contract.question import Door
from glasshouse.contract.task import TaskRequest, TaskStatus
from glasshouse.core.admission import Admission, TaskPolicy
from glasshouse.core.conversation import Conversation
from glasshouse.core.directories import Directories
from glasshouse.core.execution import Execution
from glasshouse.core.forking import Forks
from glasshouse.core.history import History
from glasshouse.core.instructions import Instructions
from glasshouse.core.paths import DirectoryGuard
from glasshouse.core.ports import Engine, KnownSession, QuestionRecord, TaskRecord, WorkingTrees
from glasshouse.core.questions.desk import Desk, Receipt
from glasshouse.core.questions.settling import Given
from glasshouse.core.questions.uptime import Uptime
from glasshouse.core.recovery import recover
from glasshouse.core.rewind import Rewind
from glasshouse.core.visible import VisibleSessions
from glasshouse.core.waiting import until_ended
from glasshouse.core.workplaces import Workplaces
from glasshouse.engines.claude import ClaudeLabels
from glasshouse.testing.manual_clock import ManualClock
from glasshouse.testing.memory_index import MemoryIndex
from glasshouse.testing.memory_sessions import MemorySessions
from glasshouse.testing.memory_store import MemoryStore
from glasshouse.testing.memory_ways_back import MemoryWaysBack
from glasshouse.testing.no_trees import NoTrees
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
        trees: WorkingTrees | None = None,
        timeout_s: float = 0,
        question_timeout_s: float = 0,
        question_limit: int = 10,
    ) -> None:
        self.root = root
        self.work = _made(root / "work")
        self.claude_home = ClaudeHome.at(root / "claude")
        self.clock = ManualClock()
        self.store = store or MemoryStore()
        self.queue = LocalQueue()
        self.engine = engine or ScriptedEngine()
        self.sessions = MemorySessions()
        self.directories = Directories(
            default=self.work, allowed=(self.work,), guard=DirectoryGuard(allowed=(self.work,)), warnings=()
        )
        engines: dict[str, Engine] = {self.engine.name: self.engine}
        self.visible = VisibleSessions(store=self.store, sessions=self.sessions, directories=self.directories)
        homes = {"home": ClaudeHome.at(root / "claude"), "offline_home": ClaudeHome.at(root / "offline")}
        self.conversation = Conversation(
            store=self.store,
            visible=self.visible,
            kept=ConversationReader(**homes),
            labels=ClaudeLabels(**homes),
        )
        self.index = MemoryIndex()
        self.history = History(store=self.store, index=self.index, visible=self.visible, clock=self.clock)
        self.attachments = AttachmentFolders(root / "attachments")
        self.admission = Admission(
            store=self.store,
            queue=self.queue,
            sessions=self.sessions,
            visible=self.visible,
            engines=engines,
            attachments=self.attachments,
            directories=self.directories,
            policy=policy or TaskPolicy(),
            clock=self.clock,
            language="en",
        )
        self.trees = trees or NoTrees()
        self.workplaces = Workplaces(self.store)
        self.uptime = Uptime(store=self.store, clock=self.clock)
        self.desk = Desk(
            store=self.store,
            queue=self.queue,
            clock=self.clock,
            uptime=self.uptime,
            language="en",
            timeout_s=question_timeout_s,
            limit=question_limit,
        )
        self.ways_back = MemoryWaysBack()
        self.forks = Forks(
            store=self.store,
            visible=self.visible,
            ways_back=self.ways_back,
            let_go=self.engine.let_go,
            clock=self.clock,
            language="en",
        )
        self.rewind = Rewind(
            store=self.store,
            queue=self.queue,
            desk=self.desk,
            visible=self.visible,
            ways_back=self.ways_back,
            workplaces=self.workplaces,
            let_go=self.engine.let_go,
            clock=self.clock,
            language="en",
        )
        self.instructions = Instructions(
            store=self.store, clock=self.clock, language="en", check_mode=self.admission.check_mode
        )
        self.execution = Execution(
            store=self.store,
            engines=engines,
            attachments=self.attachments,
            desk=self.desk,
            instructions=self.instructions,
            queue=self.queue,
            trees=self.trees,
            workplaces=self.workplaces,
            clock=self.clock,
            language="en",
            timeout_s=timeout_s,
            tools_bound=None,
        )

    async def recover(self) -> int:
        return await recover(
            store=self.store,
            queue=self.queue,
            engines={self.engine.name: self.engine},
            instructions=self.instructions,
            clock=self.clock,
            language="en",
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

    async def parked(self, task: TaskRecord) -> TaskRecord:
        """The task once it is parked, and nothing works at it."""
        changes = self.store.subscribe_tasks()
        try:
            async with asyncio.timeout(PATIENCE_S):
                while (record := await self.now(task)).status is not TaskStatus.PARKED:
                    await changes.next()
        finally:
            changes.close()
        await self.execution.wait_end(task.task_id)
        return record

    async def do(self, prompt: str = "do it", **fields: Any) -> TaskRecord:
        """From the request to the end."""
        return await self.ended(await self.admit(prompt, **fields))

    async def waits(self, task: TaskRecord, question_id: str | None = None) -> QuestionRecord:
        """The first question that the task waits for, or the named one, once it does."""
        changes = self.store.subscribe_questions()
        try:
            async with asyncio.timeout(PATIENCE_S):
                while True:
                    for question in await self.desk.pending(task):
                        if question_id in (None, question.question_id):
                            return question
                    await changes.next()
        finally:
            changes.close()

    async def answer(self, question: QuestionRecord, answer: Any, **beside: Any) -> Receipt:
        return await self.desk.answer(
            question.session_id, question.question_id, Given(answer=answer, door=Door.API, **beside)
        )

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
