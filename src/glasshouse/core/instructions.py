"""What people say to tasks that have not ended: taken once, then followed by receipts until it is with the agent, or
refused with the reason. A task's end takes along what is open in the same step, so that nothing is lost between two.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakValueDictionary

from glasshouse.contract import errors
from glasshouse.contract.events import DurableEvent, Info
from glasshouse.contract.ids import new_id, uuid_of
from glasshouse.contract.instruction import ChangeRequest, MessageRequest, ReceiptState
from glasshouse.contract.phrase import Language, Phrase
from glasshouse.contract.task import PermissionMode, TaskStatus
from glasshouse.core.encoding import entry_of
from glasshouse.core.lifecycle import at_work, still
from glasshouse.core.ports import (
    Append,
    Clock,
    Engine,
    InstructionExists,
    InstructionIsNew,
    InstructionRecord,
    Store,
    TaskMoved,
    TaskRecord,
)
from glasshouse.core.times import timestamp

OPEN = frozenset(state for state in ReceiptState if state.is_open)
# How long who changes something is kept to hear whether the running process took it; it takes some milliseconds.
_APPLIED_WITHIN_S = 5.0

_MESSAGE: dict[ReceiptState, Phrase] = {
    ReceiptState.ACCEPTED: Phrase("收到用户的消息", "A message from the user was accepted"),
    ReceiptState.DELIVERED: Phrase("消息已送达 Claude Code", "The message was delivered"),
    ReceiptState.CONSUMED: Phrase("模型已收到消息", "The model has the message"),
    ReceiptState.REFUSED: Phrase("消息没有送达：{reason}", "The message did not reach the model: {reason}"),
}
_CHANGE: dict[ReceiptState, Phrase] = {
    ReceiptState.ACCEPTED: Phrase("收到更改：{what}", "A change was accepted: {what}"),
    ReceiptState.DELIVERED: Phrase("正在更改：{what}", "Being changed: {what}"),
    ReceiptState.CONSUMED: Phrase("更改已生效：{what}", "Changed: {what}"),
    ReceiptState.REFUSED: Phrase("更改没有生效（{what}）：{reason}", "Not changed ({what}): {reason}"),
}
_ENDED_FIRST: dict[TaskStatus, Phrase] = {
    TaskStatus.COMPLETED: Phrase("任务先完成了", "the task was completed first"),
    TaskStatus.FAILED: Phrase("任务先失败了", "the task failed first"),
    TaskStatus.CANCELLED: Phrase("任务先被停止了", "the task was stopped first"),
    TaskStatus.INTERRUPTED: Phrase(
        "服务停止或中断，任务没有继续", "the server stopped or died, and the task did not go on"
    ),
}
_LOST = Phrase(
    "服务在送达之后中断，对话记录里没有这条消息",
    "the server died after it was delivered, and the conversation does not have it",
)


class News(asyncio.Event):
    """Of one task, for who listens: set when something was said to it."""

    def __init__(self) -> None:
        super().__init__()
        # Whoever is cancelled between the two may have said it: then the log is always asked.
        self._begun = self._done = 0
        self._silent_at: int | None = None

    @property
    def is_silent(self) -> bool:
        """The log holds nothing open for the task: it did not when it was read, and nothing was said since."""
        return self._silent_at == self._begun

    def is_being_said(self) -> None:
        self._begun += 1

    def was_said(self) -> None:
        """Or refused."""
        self._done += 1

    def before_reading(self) -> int | None:
        return self._begun if self._begun == self._done else None

    def nothing_was_found(self, before: int | None) -> None:
        self._silent_at = before


@dataclass(frozen=True, slots=True)
class Setting:
    """What a person has changed of what the task was asked to run with; None: nothing."""

    permission_mode: PermissionMode | None = None
    mode_changed_at: str | None = None
    model: str | None = None


class Instructions:
    def __init__(
        self, *, store: Store, clock: Clock, language: Language, check_mode: Callable[[PermissionMode], None]
    ) -> None:
        """`check_mode` raises InvalidRequest where the operator does not allow a mode."""
        self._store = store
        self._clock = clock
        self._language: Language = language
        self._check_mode = check_mode
        self._news: WeakValueDictionary[str, News] = WeakValueDictionary()
        self._settling: dict[tuple[str, str], asyncio.Future[InstructionRecord]] = {}

    # --- from the doors

    async def message(self, task_id: str, request: MessageRequest) -> InstructionRecord:
        """In the log when this returns; said before, it is as it was then. Raises GlasshouseError."""
        return await self._accept(
            InstructionRecord(
                task_id,
                request.message_id or new_id(),
                session_id="",
                accepted_at="",
                mode=request.mode,
                content=request.content,
            )
        )

    async def change(self, task_id: str, request: ChangeRequest) -> InstructionRecord:
        """In the log when this returns; and in force, where a process could take it. Raises GlasshouseError."""
        if request.permission_mode is not None:
            self._check_mode(request.permission_mode)
        wanted = InstructionRecord(
            task_id,
            new_id(),
            session_id="",
            accepted_at="",
            permission_mode=request.permission_mode,
            model=request.model,
        )
        key = (task_id, wanted.instruction_id)
        settled = self._settling[key] = asyncio.get_running_loop().create_future()
        try:
            record = await self._accept(wanted)
            if task_id not in self._news:
                return record
            await asyncio.wait({settled}, timeout=_APPLIED_WITHIN_S)
            return await self._store.instruction(*key) or record
        finally:
            del self._settling[key]

    async def _accept(self, wanted: InstructionRecord) -> InstructionRecord:
        while True:
            task = await self._store.task(wanted.task_id)
            if task is None:
                raise errors.TaskNotFound
            known = await self._store.instruction(wanted.task_id, wanted.instruction_id)
            if known is not None:
                return _same(known, wanted)
            if task.status.ended:
                raise errors.TaskEnded
            record = replace(wanted, session_id=task.session_id, accepted_at=self._now())
            step = Append(
                task.session_id,
                entries=[entry_of(self._event(record))],
                instructions=[record],
                # One append decides: it is accepted before the task's end, or there is no such task any more.
                expect=[still(task), InstructionIsNew(record.task_id, record.instruction_id)],
                by_person=True,
            )
            # Who comes to listen from here on reads after its claim; this step comes before that, or does not hold.
            news = self._news.get(record.task_id)
            if news is not None:
                news.is_being_said()
            try:
                await self._store.append(step)
            except (TaskMoved, InstructionExists):
                if news is not None:
                    news.was_said()
                continue  # at this very moment; look again
            if news is not None:
                news.was_said()
                news.set()
            return record

    # --- for the one process that is at the task

    def news(self, task_id: str) -> News:
        """Kept by who listens."""
        return self._news.setdefault(task_id, News())

    async def open(self, task: TaskRecord) -> Sequence[InstructionRecord]:
        """Without a look into the log where it is known to hold none: it is asked for at every step of a turn."""
        news = self._news.get(task.task_id)
        if news is None:
            return await self._written(task)
        if news.is_silent:
            return ()
        before = news.before_reading()
        found = await self._written(task)
        if not found:
            news.nothing_was_found(before)
        return found

    async def _written(self, task: TaskRecord) -> Sequence[InstructionRecord]:
        return await self._store.instructions(task.task_id, receipts=OPEN)

    async def note(
        self, task: TaskRecord, told: Sequence[InstructionRecord], receipt: ReceiptState, reason: str | None
    ) -> None:
        """How far they are; what is no longer open, or as far, stays as it is."""
        if not told:
            return
        wanted = {each.instruction_id for each in told}
        moving = [
            replace(each, receipt=receipt, reason=reason)
            for each in await self.open(task)
            if each.instruction_id in wanted and each.receipt is not receipt
        ]
        if not moving:
            return
        entries = [entry_of(self._event(record)) for record in moving]
        await self._store.append(Append(task.session_id, entries=entries, instructions=moving, expect=[at_work(task)]))
        for record in moving:
            settled = self._settling.get((record.task_id, record.instruction_id))
            if settled is not None and not record.is_open and not settled.done():
                settled.set_result(record)

    # --- at a task's beginning and end

    async def taken_up(self, task: TaskRecord) -> tuple[Setting, Sequence[InstructionRecord]]:
        """What the process runs with that is started now, and the changes that come into force by that."""
        setting, begins = Setting(), []
        for record in await self._store.instructions(task.task_id, receipts=OPEN | {ReceiptState.CONSUMED}):
            if record.mode is not None:
                continue
            if record.permission_mode is not None:
                setting = replace(setting, permission_mode=record.permission_mode, mode_changed_at=record.accepted_at)
            setting = replace(setting, model=record.model or setting.model)
            if record.is_open:
                begins.append(replace(record, receipt=ReceiptState.CONSUMED))
        return setting, begins

    async def at_end(self, task: TaskRecord, status: TaskStatus, engine: Engine) -> Sequence[InstructionRecord]:
        """What is open as the end leaves it: where the agent's own record has a message it was consumed, all else is
        refused. No process is at the task."""
        open_ones = await self._written(task)
        on_their_way = [each for each in open_ones if each.mode is not None and each.receipt is ReceiptState.DELIVERED]
        heard = {each.instruction_id for each in await engine.has_heard(task, on_their_way)} if on_their_way else ()
        return [
            replace(each, receipt=ReceiptState.CONSUMED)
            if each.instruction_id in heard
            else replace(each, receipt=ReceiptState.REFUSED, reason=self._why(each, status))
            for each in open_ones
        ]

    def events(self, records: Sequence[InstructionRecord]) -> Sequence[DurableEvent]:
        """What tells of them as they are now."""
        return [self._event(record) for record in records]

    # --- small parts

    def _why(self, record: InstructionRecord, status: TaskStatus) -> str:
        lost = status is TaskStatus.INTERRUPTED and record.receipt is ReceiptState.DELIVERED
        return (_LOST if lost else _ENDED_FIRST[status]).say(self._language)

    def _now(self) -> str:
        return timestamp(self._clock.now())

    def _event(self, record: InstructionRecord) -> Info:
        what = ", ".join(filter(None, (record.permission_mode, record.model)))
        phrases = _CHANGE if record.mode is None else _MESSAGE
        metadata: dict[str, Any] = {"receipt": record.receipt.value}
        if record.mode is None:
            changed = {"permission_mode": record.permission_mode, "model": record.model}
            metadata |= {"change_id": record.instruction_id, "change": changed}
        else:
            metadata["message_id"] = record.instruction_id
            if record.receipt is ReceiptState.ACCEPTED:
                metadata["message"] = {
                    "content": record.content,
                    "mode": record.mode.value,
                    "uuid": uuid_of(record.task_id, record.instruction_id),
                }
        if record.reason is not None:
            metadata["reason"] = record.reason
        return Info(
            content=phrases[record.receipt].say(self._language, what=what, reason=record.reason),
            timestamp=self._now(),
            session_id=record.session_id,
            task_id=record.task_id,
            metadata=metadata,
        )


def _same(known: InstructionRecord, wanted: InstructionRecord) -> InstructionRecord:
    if (known.mode, known.content) != (wanted.mode, wanted.content):
        raise errors.MessageConflict
    return known
