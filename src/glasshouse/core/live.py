"""A task while it runs: what its engine may do, why it is to stop, and when it was last heard of."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from glasshouse.contract.events import DurableEvent, LiveEvent, Stamp
from glasshouse.contract.instruction import ReceiptState
from glasshouse.contract.question import QuestionKind, QuestionState
from glasshouse.core.encoding import entry_of
from glasshouse.core.instructions import Instructions
from glasshouse.core.lifecycle import at_work, still
from glasshouse.core.ports import (
    AnsweredBy,
    Append,
    Asking,
    Call,
    Clock,
    EngineTask,
    Figures,
    InstructionRecord,
    QuestionRecord,
    Store,
    StoreUnavailable,
    TaskMoved,
    TaskRecord,
)
from glasshouse.core.questions.desk import Desk
from glasshouse.core.times import timestamp
from glasshouse.core.work import Work

STALLED_AFTER_S = 60.0


class Reason(StrEnum):
    """Why a task was told to stop; the first reason given counts."""

    CANCELLED = "cancelled"
    TIMED_OUT = "timed_out"
    UNANSWERED = "unanswered"
    SHUTDOWN = "shutdown"


class LiveTask:
    """What an engine sees of the task that it does (the port `Run`), and what core knows of it meanwhile."""

    def __init__(
        self,
        record: TaskRecord,
        task: EngineTask,
        *,
        store: Store,
        clock: Clock,
        desk: Desk,
        instructions: Instructions,
        work: Work,
    ) -> None:
        """`work` is what earlier turns at the task have done."""
        self.record = record
        self.task = task
        self.stop = asyncio.Event()
        self.reason: Reason | None = None
        self.work = work
        self.stop_agent: Callable[[str], Awaitable[None]] | None = None
        self._store = store
        self._clock = clock
        self._desk = desk
        self.figures = record.figures
        self._instructions = instructions
        self._news = instructions.news(record.task_id)
        self._began = clock.monotonic()
        self._waited_s = 0.0
        self._waits_since: float | None = None
        self._waits = 0
        self._heard_at = clock.monotonic()
        self._heard_on: datetime = clock.now()
        self._preparing: asyncio.Task[None] | None = None

    def ask_to_stop(self, reason: Reason) -> None:
        if self.reason is None:
            self.reason = reason
        self.stop.set()

    # --- what comes before its agent may change anything

    def prepare(self, work: Coroutine[Any, Any, None]) -> None:
        """Beside what the engine does to get ready."""
        self._preparing = asyncio.create_task(work)

    async def prepared(self) -> None:
        if self._preparing is not None:
            await asyncio.shield(self._preparing)

    async def leave_preparing(self) -> None:
        if self._preparing is not None:
            self._preparing.cancel()
            await asyncio.gather(self._preparing, return_exceptions=True)

    # --- what the engine says

    def stamp(self) -> Stamp:
        return {
            "session_id": self.record.session_id,
            "task_id": self.record.task_id,
            "timestamp": timestamp(self._clock.now()),
        }

    async def emit(self, event: DurableEvent) -> None:
        self.alive()
        self.work.see(event)
        await self._store.append(
            Append(self.record.session_id, entries=(entry_of(event),), expect=(at_work(self.record),))
        )

    def show(self, event: LiveEvent) -> None:
        self.alive()
        self._store.publish(self.record.session_id, entry_of(event))

    def stops_agents_by(self, stop: Callable[[str], Awaitable[None]]) -> None:
        self.stop_agent = stop

    async def spent(self, figures: Figures) -> None:
        self.figures = figures
        while (current := await self._store.task(self.record.task_id)) is not None:
            told = Append(
                self.record.session_id,
                task=replace(current, figures=figures),
                expect=(at_work(self.record), still(current)),
            )
            try:
                await self._store.append(told)
            except StoreUnavailable:
                return  # it is told again with the next message
            except TaskMoved as other:
                if other.record is None or other.record.status.ended or other.record.generation != current.generation:
                    raise
            else:
                return

    def alive(self) -> None:
        self._heard_at = self._clock.monotonic()
        self._heard_on = self._clock.now()

    # --- what it asks

    async def ask(self, asking: Asking) -> Call:
        return await self._desk.ask(self.record, asking)

    async def call(self, call_id: str) -> Call | None:
        return await self._desk.call(self.record.session_id, call_id)

    async def settled(self, call_id: str) -> Call:
        self._wait_begins()
        try:
            call = await self._desk.settled(self.record.session_id, call_id)
        finally:
            self._wait_ends()
        if any(record.state is QuestionState.TIMEOUT for record in call.records):
            self.ask_to_stop(Reason.UNANSWERED)
        elif any(record.ends_task for record in call.records):
            self.ask_to_stop(Reason.CANCELLED)
        elif await self._desk.go_on(self.record):
            self.alive()
        return call

    async def withdraw(self, call_id: str) -> None:
        await self._desk.withdraw(self.record, call_id)

    async def open_calls(self) -> Sequence[Call]:
        records, _ = await self._store.questions(
            states=frozenset(QuestionState), task_id=self.record.task_id, session_id=self.record.session_id, limit=1000
        )
        untold = dict.fromkeys(
            record.call_id for record in records if record.way is None and record.kind is not QuestionKind.TRUST
        )
        calls = [await self.call(call_id) for call_id in untold]
        return [call for call in calls if call is not None and not call.is_over_limit]

    async def told(self, call_id: str, way: str) -> None:
        call = await self.call(call_id)
        if call is None or not call.is_settled or all(record.way is not None for record in call.records):
            return
        records = [replace(record, way=way) for record in call.records]
        # Those that nobody answered have nothing to tell.
        told = [record for record in records if record.answered_by is not AnsweredBy.NOBODY]
        entries = [entry_of(self._desk.change_event(record)) for record in told]
        await self._store.append(
            Append(self.record.session_id, entries=entries, questions=records, expect=(at_work(self.record),))
        )

    async def answered(self, *kinds: QuestionKind) -> Sequence[QuestionRecord]:
        return await self._of_session(QuestionState.ANSWERED, *kinds)

    async def unanswered(self, kind: QuestionKind) -> Sequence[QuestionRecord]:
        found = await self._of_session(QuestionState.TIMEOUT, kind)
        return [record for record in found if record.memo["by_model"]]

    async def _of_session(self, state: QuestionState, *kinds: QuestionKind) -> Sequence[QuestionRecord]:
        records, _ = await self._store.questions(
            states=frozenset({state}), session_id=self.record.session_id, limit=10_000
        )
        return [record for record in records if record.kind in kinds]

    # --- what people say to it meanwhile

    async def instructions(self) -> Sequence[InstructionRecord]:
        return await self._instructions.open(self.record)

    async def instructed(self) -> None:
        await self._news.wait()
        self._news.clear()

    async def note(
        self, instructions: Sequence[InstructionRecord], receipt: ReceiptState, reason: str | None = None
    ) -> None:
        await self._instructions.note(self.record, instructions, receipt, reason)

    # --- how long it has worked: the time in which it only waited for a person is not counted

    def worked_s(self) -> float:
        now = self._clock.monotonic()
        waiting = 0.0 if self._waits_since is None else now - self._waits_since
        return self.record.worked_ms / 1000 + now - self._began - self._waited_s - waiting

    def _wait_begins(self) -> None:
        self._waits += 1
        if self._waits == 1:
            self._waits_since = self._clock.monotonic()

    def _wait_ends(self) -> None:
        self._waits -= 1
        if self._waits == 0 and self._waits_since is not None:
            self._waited_s += self._clock.monotonic() - self._waits_since
            self._waits_since = None

    def stalled_since(self) -> str | None:
        """When it fell silent, if a minute has passed since and no tool is at work."""
        if self.work.open_calls or self._waits or self._clock.monotonic() - self._heard_at < STALLED_AFTER_S:
            return None
        return timestamp(self._heard_on)
