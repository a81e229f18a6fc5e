"""A whole house around the engine: the log, the desk and the queue as they ship, so that questions can be lived with.

It can die: `leave` stops it as a server's end would, and another one on the same store goes on.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

from tests.integration.engines.stage import PROMPT, Stage
from tests.support.repository import everywhere

from glasshouse.adapters.attachments import AttachmentFolders
from glasshouse.adapters.clock import SystemClock
from glasshouse.adapters.git import GitTrees
from glasshouse.adapters.queue.local import LocalQueue
from glasshouse.claude_home import Transcripts
from glasshouse.contract.instruction import ChangeRequest, MessageMode, MessageRequest
from glasshouse.contract.question import Door, Question, QuestionState
from glasshouse.contract.rewind import RewindRequest, Rewound
from glasshouse.contract.task import PermissionMode, TaskStatus
from glasshouse.core.directories import Directories
from glasshouse.core.execution import Execution
from glasshouse.core.instructions import Instructions
from glasshouse.core.paths import DirectoryGuard
from glasshouse.core.ports import (
    Append,
    Engine,
    InstructionRecord,
    QuestionRecord,
    SessionRecord,
    Store,
    TaskIsNew,
    TaskRecord,
)
from glasshouse.core.questions.desk import Desk, Receipt
from glasshouse.core.questions.settling import Given
from glasshouse.core.questions.uptime import Uptime
from glasshouse.core.recovery import recover
from glasshouse.core.rewind import Rewind
from glasshouse.core.settings import Defer, Trust
from glasshouse.core.visible import VisibleSessions
from glasshouse.core.workplaces import Workplaces
from glasshouse.engines.claude import ClaudeEngine
from glasshouse.testing.memory_store import MemoryStore

_PATIENCE_S = 30.0
_NOW = "2026-01-01T00:00:00.000Z"


class House:
    def __init__(
        self,
        stage: Stage,
        store: Store | None = None,
        *,
        defer: Defer = "auto",
        hot_s: float = 600.0,
        warm: int = 0,
        limit: int = 10,
        question_timeout_s: float = 0,
        trust: Trust = "never",
        engine: ClaudeEngine | None = None,
    ) -> None:
        self.stage = stage
        self.store = store or MemoryStore()
        clock = SystemClock()
        self.queue = LocalQueue()
        self.attachments = AttachmentFolders(stage.root / "attachments")
        self.clock = clock
        self.uptime = Uptime(store=self.store, clock=clock)
        self.desk = Desk(
            store=self.store,
            queue=self.queue,
            clock=clock,
            uptime=self.uptime,
            language="en",
            timeout_s=question_timeout_s,
            limit=limit,
        )
        self.engine = engine or stage.engine(defer=defer, hot_s=hot_s, warm=warm, trust=trust, trust_memory=self.store)
        self.workplaces = Workplaces(self.store)
        self.engines: dict[str, Engine] = {"claude": self.engine}
        self.instructions = Instructions(store=self.store, clock=clock, language="en", check_mode=lambda _: None)
        self.execution = Execution(
            store=self.store,
            engines=self.engines,
            instructions=self.instructions,
            clock=clock,
            language="en",
            desk=self.desk,
            attachments=self.attachments,
            queue=self.queue,
            trees=GitTrees(stage.root / "trees", covers=everywhere, clock=clock),
            workplaces=self.workplaces,
            timeout_s=0,
            tools_bound=None,
        )

        places = Directories(stage.project, (stage.root,), DirectoryGuard(allowed=(stage.root,)), ())
        transcripts = Transcripts(home=stage.home, offline_home=stage.offline_home)
        self.rewind = Rewind(
            store=self.store,
            queue=self.queue,
            desk=self.desk,
            visible=VisibleSessions(store=self.store, sessions=transcripts, directories=places),
            ways_back=stage.ways_back(),
            workplaces=self.workplaces,
            let_go=self.engine.let_go,
            clock=clock,
            language="en",
        )

    async def back(self, task: TaskRecord, **asked: Any) -> Rewound:
        return await self.rewind.back(task.session_id, RewindRequest(**asked), language="en")

    async def begin(self) -> None:
        await self.store.open()
        await recover(
            store=self.store,
            queue=self.queue,
            engines=self.engines,
            instructions=self.instructions,
            clock=self.clock,
            language="en",
        )
        await self.desk.settle_decided()
        await self.queue.start(self.execution.run)

    async def leave(self) -> None:
        self.execution.shut_down()
        await asyncio.wait_for(asyncio.gather(self.queue.stop(), self.engine.close()), _PATIENCE_S)

    async def admit(
        self,
        prompt: str = PROMPT,
        *,
        session_id: str | None = None,
        task_id: str | None = None,
        tools: tuple[str, ...] | None = None,
        permission_mode: PermissionMode = "default",
        questions: tuple[Question, ...] = (),
        **more: Any,
    ) -> TaskRecord:
        session_id = session_id or str(uuid4())
        session = SessionRecord(session_id, "claude", str(self.stage.project), _NOW, False)
        request: dict[str, Any] = {
            "prompt": prompt,
            "tools": tools,
            "permission_mode": permission_mode,
            "model": None,
            "max_turns": None,
            "questions": [question.model_dump(mode="json") for question in questions],
            **more,
        }
        record = TaskRecord(
            task_id or str(uuid4()), session_id, "claude", TaskStatus.QUEUED, str(self.stage.project), request, _NOW
        )
        known = await self.store.session(session_id)
        await self.store.append(
            Append(session_id, task=record, session=None if known else session, expect=(TaskIsNew(record.task_id),))
        )
        await self.queue.put(record)
        return record

    async def asked(self, task: TaskRecord, count: int = 1) -> list[QuestionRecord]:
        """The task's questions that wait, once there are so many."""
        pending = frozenset({QuestionState.PENDING})
        async with asyncio.timeout(_PATIENCE_S):
            while True:
                found, _ = await self.store.questions(states=pending, task_id=task.task_id, limit=100)
                if len(found) >= count:
                    return list(found)
                await self._not_ended(task)
                await asyncio.sleep(0.02)

    async def questions(self, task: TaskRecord, *, pending: bool = False) -> list[QuestionRecord]:
        states = frozenset({QuestionState.PENDING}) if pending else frozenset(QuestionState)
        found, _ = await self.store.questions(
            states=states, session_id=task.session_id, task_id=task.task_id, limit=100
        )
        return list(found)

    async def answer(
        self,
        record: QuestionRecord,
        answer: Any,
        *,
        reason: str | None = None,
        updated_input: Mapping[str, Any] | None = None,
    ) -> Receipt:
        given = Given(answer=answer, door=Door.API, answers={}, reason=reason, updated_input=updated_input)
        return await self.desk.answer(record.session_id, record.question_id, given)

    async def say(self, task: TaskRecord, content: str, mode: str = "steer", message_id: str | None = None) -> str:
        """To the task that is under way; the message's id."""
        request = MessageRequest(content=content, mode=MessageMode(mode), message_id=message_id)
        return (await self.instructions.message(task.task_id, request)).instruction_id

    async def change(self, task: TaskRecord, **fields: Any) -> InstructionRecord:
        return await self.instructions.change(task.task_id, ChangeRequest(**fields))

    async def receipts(self, task: TaskRecord, message_id: str) -> list[str]:
        told = [event["metadata"] for event in await self.events(task, "info")]
        return [each["receipt"] for each in told if each.get("message_id") == message_id]

    async def until(self, holds: Callable[[], Awaitable[bool]]) -> None:
        async with asyncio.timeout(_PATIENCE_S):
            while not await holds():  # noqa: ASYNC110
                await asyncio.sleep(0.02)

    async def until_receipt(self, task: TaskRecord, message_id: str, receipt: str) -> None:
        async def holds() -> bool:
            return receipt in await self.receipts(task, message_id)

        await self.until(holds)

    async def until_calls(self, task: TaskRecord, count: int = 1) -> None:
        """So many tools were called."""

        async def holds() -> bool:
            return len(await self.events(task, "tool_use")) >= count

        await self.until(holds)

    async def until_queued_in_claude_code(self, task: TaskRecord, content: str) -> None:
        """Its own queue has the message, as its transcript says."""

        async def holds() -> bool:
            return any(
                line.get("operation") == "enqueue" and line.get("content") == content for line in self.transcript(task)
            )

        await self.until(holds)

    def transcript(self, task: TaskRecord) -> list[dict[str, Any]]:
        files = list(self.stage.home.config_dir.glob(f"projects/*/{task.session_id}.jsonl"))
        return [json.loads(line) for file in files for line in file.read_text().split("\n") if line.endswith("}")]

    async def until_settled_by(self, task: TaskRecord, question: QuestionRecord) -> None:
        """The model has what came of this question."""
        async with asyncio.timeout(_PATIENCE_S):
            while question.call_id not in await self.results(task):  # noqa: ASYNC110
                await asyncio.sleep(0.02)

    async def until_left(self, task: TaskRecord) -> None:
        """No process is at the task."""
        async with asyncio.timeout(_PATIENCE_S):
            await self.execution.wait_end(task.task_id)

    async def let_time_pass(self, seconds: float) -> None:
        """On the clock of questions, with what follows from it."""
        await self.store.note_uptime(self.uptime.now_s() + seconds)
        await self.uptime.load()
        for task_id in await self.desk.settle_due():
            await self.execution.fail_unanswered(task_id)

    async def ended(self, task: TaskRecord) -> TaskRecord:
        async with asyncio.timeout(_PATIENCE_S):
            while True:
                record = await self.store.task(task.task_id)
                assert record is not None
                if record.status.ended:
                    return record
                await asyncio.sleep(0.02)

    async def _not_ended(self, task: TaskRecord) -> None:
        record = await self.store.task(task.task_id)
        assert record is not None
        assert not record.status.ended, f"ended without asking: {record}\n{await self.events(task)}"

    async def record(self, question: QuestionRecord) -> QuestionRecord:
        found = await self.store.question(question.session_id, question.question_id)
        assert found is not None
        return found

    async def events(self, task: TaskRecord, kind: str | None = None) -> list[dict[str, Any]]:
        frames = await self.store.read(task.session_id, after=0, limit=10_000, task_id=task.task_id)
        events = [json.loads(frame.body) for frame in frames]
        return [event for event in events if kind in (None, event["type"])]

    async def results(self, task: TaskRecord) -> dict[str, str]:
        return {event["tool_use_id"]: event["content"] for event in await self.events(task, "tool_result")}


@asynccontextmanager
async def living(stage: Stage, store: Store | None = None, **settings: Any) -> AsyncIterator[House]:
    house = House(stage, store, **settings)
    await house.begin()
    try:
        yield house
    finally:
        await house.leave()
