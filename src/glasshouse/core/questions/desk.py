"""The desk: it records what is asked, takes one answer to each question, and says when a call may go on.

It knows no engine. A call is one asking, of one question or several; it is settled when none of them waits any more.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from weakref import WeakValueDictionary

from glasshouse.contract import errors
from glasshouse.contract.events import DurableEvent, Info
from glasshouse.contract.instruction import ReceiptState
from glasshouse.contract.phrase import Language
from glasshouse.contract.question import Question, QuestionKind, QuestionReport, QuestionState
from glasshouse.contract.task import TaskStatus
from glasshouse.core import messages
from glasshouse.core.encoding import entry_of
from glasshouse.core.lifecycle import at_work, moved, still
from glasshouse.core.ports import (
    AnsweredBy,
    Append,
    Asking,
    Call,
    Clock,
    Entry,
    Expectation,
    QuestionExists,
    QuestionIsNew,
    QuestionIsPending,
    QuestionRecord,
    QuestionSettled,
    Store,
    TaskMoved,
    TaskQueue,
    TaskRecord,
)
from glasshouse.core.questions import settling
from glasshouse.core.questions.forms import asked_again, templates_of
from glasshouse.core.questions.records import Act, asked_event, change_event, report_of, settled
from glasshouse.core.questions.settling import Change, Given, holds
from glasshouse.core.questions.trust import decisions_in
from glasshouse.core.questions.uptime import Uptime
from glasshouse.core.times import timestamp
from glasshouse.core.waiting import until_settled

# For these a time-out would be an answer in a person's name.
_NEVER_DUE = frozenset({QuestionKind.PERMISSION, QuestionKind.PLAN_APPROVAL, QuestionKind.TRUST})
# A round is a call that asks; these ask for leave.
_NO_ROUND = _NEVER_DUE
_PENDING = frozenset({QuestionState.PENDING})


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of an answer. `remaining` are the questions that its call still waits for."""

    record: QuestionRecord
    remaining: Sequence[str]
    cleaned: bool


class Desk:
    def __init__(
        self,
        *,
        store: Store,
        queue: TaskQueue,
        clock: Clock,
        uptime: Uptime,
        language: Language,
        timeout_s: float,
        limit: int,
    ) -> None:
        """`timeout_s` 0: questions wait for ever. `limit`: how often a model may ask until a person speaks again."""
        self._store = store
        self._queue = queue
        self._clock = clock
        self._uptime = uptime
        self._language = language
        self._timeout_s = timeout_s
        self._limit = limit
        # One act at a time in a session: what an act does depends on all of its call, not on one record.
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    # --- asking

    async def ask(self, task: TaskRecord, asking: Asking) -> Call:
        """Record it and have the task wait; what was asked before is found, not asked twice.

        Raises QuestionInvalid or TaskMoved."""
        async with self._turn(task.session_id):
            earlier = await self.call(task.session_id, asking.call_id)
            if earlier is not None:
                return earlier
            repeatable = templates_of(task.request.get("questions", ()))
            questions = [
                await self._unused(task.session_id, question) if question.question_id in repeatable else question
                for question in asking.questions
            ]
            await self._check_unused(task.session_id, questions)
            records = await self._records(task.session_id, task.task_id, asking, questions)
            notices: Sequence[DurableEvent] = [asked_event(record) for record in records]
            if await self._is_over_limit(task, asking):
                records = [self._refused(record) for record in records]
                notices = [self._limit_notice(task)]
            await self._write_asked(task, records, notices)
        if asking.kind is not QuestionKind.TRUST:
            return Call(asking.call_id, records)
        # It may have been decided in another session at this very moment.
        await self.settle_decided()
        return Call(asking.call_id, await self._store.questions_of_call(task.session_id, asking.call_id))

    async def asked_with(self, task: TaskRecord, asking: Asking) -> tuple[Sequence[QuestionRecord], Sequence[Entry]]:
        """The questions that a task begins with, and what tells of them: to be written with it.

        Raises QuestionInvalid."""
        await self._check_unused(task.session_id, asking.questions)
        records = await self._records(task.session_id, task.task_id, asking, asking.questions)
        return records, [entry_of(asked_event(record)) for record in records]

    async def ask_for_program(self, session_id: str, question: Question) -> QuestionRecord:
        """A question of nobody's task: it belongs to the session. Raises SessionNotFound or QuestionInvalid."""
        if await self._store.session(session_id) is None:
            raise errors.SessionNotFound
        async with self._turn(session_id):
            await self._check_unused(session_id, [question])
            asking = Asking(call_id=question.question_id, questions=[question], by_model=False)
            [record] = await self._records(session_id, None, asking, [question])
            step = Append(
                session_id,
                entries=[entry_of(asked_event(record))],
                questions=[record],
                expect=[QuestionIsNew(session_id, record.question_id)],
                by_person=True,
            )
            await self._append_new(step)
            return record

    async def call(self, session_id: str, call_id: str) -> Call | None:
        records = await self._store.questions_of_call(session_id, call_id)
        return Call(call_id, records) if records else None

    async def settled(self, session_id: str, call_id: str) -> Call:
        """Returns when nothing of the call waits any more."""
        return await until_settled(self._store, session_id, call_id)

    async def go_on(self, task: TaskRecord) -> bool:
        """The task works again, unless it has ended or another question of it waits."""
        async with self._turn(task.session_id):
            current = await self._store.task(task.task_id)
            if current is None or current.status is not TaskStatus.WAITING or await self.pending(task, limit=1):
                return False
            step = Append(task.session_id, task=moved(current, TaskStatus.RUNNING), expect=[at_work(task)])
            try:
                await self._store.append(step)
            except TaskMoved:
                return False  # it has ended; whoever asked will be told to stop
            return True

    # --- answering

    async def answer(self, session_id: str, question_id: str, given: Given) -> Receipt:
        """One answer to each question: of several at once, one is taken. Raises GlasshouseError."""
        async with self._turn(session_id):
            while True:
                record = await self._known(session_id, question_id)
                _must_wait(record)
                task, call = await asyncio.gather(
                    self._unended_task(record), self._store.questions_of_call(session_id, record.call_id)
                )
                change = settling.answer(call, record, given, at=self._now(), due=self._due(record.kind))
                try:
                    after = await self._write_change(call, change, task)
                except (QuestionSettled, TaskMoved):
                    continue  # something else was first, a task's end for one; look again, and tell
                break
        if not given.stop:
            await self._wake(after, task)
        if decisions_in(change.records):
            await self.settle_decided()
        remaining = [each.question_id for each in after if holds(each)]
        return Receipt(next(each for each in after if each.question_id == question_id), remaining, change.cleaned)

    async def withdraw(self, task: TaskRecord, call_id: str) -> None:
        """Whoever asked no longer wants to know."""
        async with self._turn(task.session_id):
            call = await self._store.questions_of_call(task.session_id, call_id)
            if change := settling.withdraw(call, at=self._now()):
                with suppress(QuestionSettled, TaskMoved):  # answered, or over, at this very moment
                    await self._write_change(call, change, await self._store.task(task.task_id))

    async def settle_due(self) -> Sequence[str]:
        """Settle what is out of time; returns the tasks that cannot go on, because nobody answered in time."""
        due = await self._store.due_questions(self._uptime.now_s())
        unanswered: dict[str, None] = {}
        for session_id, call_id in dict.fromkeys((record.session_id, record.call_id) for record in due):
            async with self._turn(session_id):
                call = await self._store.questions_of_call(session_id, call_id)
                task = await self._task_of(call[0])
                change = settling.time_out(call, at=self._now())
                try:
                    after = await self._write_change(call, change, task)
                except (QuestionSettled, TaskMoved):
                    continue  # settled at this very moment; what is still due is found again
            await self._wake(after, task)
            if task is not None and any(record.state is QuestionState.TIMEOUT for record in change.records):
                unanswered[task.task_id] = None
        return list(unanswered)

    async def settle_decided(self) -> None:
        """A directory's trust is asked about once, however many tasks wait for it: one answer is good for all."""
        for record in await self._store.trust_questions():
            decided = await self._store.trust(record.subject["directory"], record.memo["digest"])
            if decided is None:
                continue
            act = Act(AnsweredBy.ELSEWHERE, self._now())
            change = Change([settled(record, QuestionState.ANSWERED, act, answer=decided.decision.value)])
            async with self._turn(record.session_id):
                task = await self._write_unless_settled(record, change)
            await self._wake(change.records, task)

    # --- at a task's end

    async def pending(self, task: TaskRecord, *, limit: int = 10_000) -> Sequence[QuestionRecord]:
        found, _ = await self._store.questions(
            states=_PENDING, session_id=task.session_id, task_id=task.task_id, limit=limit
        )
        return found

    def taken_along(self, records: Sequence[QuestionRecord]) -> Sequence[QuestionRecord]:
        """The questions of a task that ends, with it."""
        act = Act(AnsweredBy.TASK_END, self._now())
        return [settled(record, QuestionState.CANCELLED, act) for record in records]

    def change_event(self, record: QuestionRecord) -> DurableEvent:
        return change_event(record, at=self._now(), language=self._language)

    def report(self, record: QuestionRecord) -> QuestionReport:
        return report_of(record, self._uptime.now_s())

    # --- small parts

    def _turn(self, session_id: str) -> asyncio.Lock:
        return self._turns.setdefault(session_id, asyncio.Lock())

    def _now(self) -> str:
        return timestamp(self._clock.now())

    def _due(self, kind: QuestionKind) -> float | None:
        return self._uptime.now_s() + self._timeout_s if self._timeout_s and kind not in _NEVER_DUE else None

    async def _records(
        self, session_id: str, task_id: str | None, asking: Asking, questions: Sequence[Question]
    ) -> Sequence[QuestionRecord]:
        round_ = 0 if asking.kind in _NO_ROUND else 1 + await self._store.asking_rounds(session_id)
        return [
            QuestionRecord(
                session_id=session_id,
                question_id=question.question_id,
                task_id=task_id,
                kind=asking.kind,
                call_id=asking.call_id,
                question=question,
                round=round_,
                asked_at=self._now(),
                index=index,
                total=len(questions),
                due_at_uptime_s=self._due(asking.kind),
                subject=asking.subject,
                memo={**asking.memo, "by_model": asking.by_model},
            )
            for index, question in enumerate(questions, 1)
        ]

    async def _write_asked(
        self, task: TaskRecord, records: Sequence[QuestionRecord], notices: Sequence[DurableEvent]
    ) -> None:
        waits = any(record.state is QuestionState.PENDING for record in records)
        while True:
            current = await self._store.task(task.task_id) or task
            begins = waits and current.status is TaskStatus.RUNNING
            expect: list[Expectation] = [QuestionIsNew(task.session_id, record.question_id) for record in records]
            step = Append(
                task.session_id,
                entries=[entry_of(event) for event in notices],
                task=moved(current, TaskStatus.WAITING) if begins else None,
                questions=records,
                expect=[*expect, at_work(task), still(current)],
            )
            try:
                await self._append_new(step)
            except TaskMoved as other:
                if other.record is None or other.record.status.ended or other.record.generation != task.generation:
                    raise
            else:
                return

    async def _append_new(self, step: Append) -> None:
        try:
            await self._store.append(step)
        except QuestionExists as other:
            raise errors.QuestionInvalid(f"{other.record.question_id}: used in this session already") from None

    async def _write_change(
        self, call: Sequence[QuestionRecord], change: Change, task: TaskRecord | None
    ) -> Sequence[QuestionRecord]:
        """In one step: what is settled, what that opens, and who is told. Returns the call as it is then."""
        known = {record.question_id for record in call}
        events: list[DurableEvent] = []
        expect: list[Expectation] = []
        for record in change.records:
            is_new = record.question_id not in known
            kind = QuestionIsNew if is_new else QuestionIsPending
            expect.append(kind(record.session_id, record.question_id))
            if is_new:
                events.append(asked_event(record))
            if record.state is not QuestionState.PENDING:
                events.append(self.change_event(record))
        if task is not None and not task.status.ended:
            expect.append(still(task))
        await self._store.append(
            Append(
                call[0].session_id,
                entries=[entry_of(event) for event in events],
                questions=change.records,
                trust=decisions_in(change.records),
                expect=expect,
                by_person=True,
            )
        )
        after = {record.question_id: record for record in (*call, *change.records)}
        return list(after.values())

    async def _write_unless_settled(self, record: QuestionRecord, change: Change) -> TaskRecord | None:
        """Its task, which is to go on; None if something else was first."""
        while True:
            task = await self._task_of(record)
            try:
                await self._write_change([record], change, task)
            except QuestionSettled:
                return None
            except TaskMoved:
                continue  # look again: it may have left its process, or ended and taken the question along
            return task

    async def _wake(self, call: Sequence[QuestionRecord], task: TaskRecord | None) -> None:
        """Where no process waits for the call, its task is taken up again."""
        if task is not None and not task.status.ended and not any(map(holds, call)):
            await self._queue.put(task)

    async def _known(self, session_id: str, question_id: str) -> QuestionRecord:
        record = await self._store.question(session_id, question_id)
        if record is None and await self._store.session(session_id) is None:
            raise errors.AnswerSessionNotFound
        if record is None:
            raise errors.QuestionNotFound
        return record

    async def _task_of(self, record: QuestionRecord) -> TaskRecord | None:
        return None if record.task_id is None else await self._store.task(record.task_id)

    async def _unended_task(self, record: QuestionRecord) -> TaskRecord | None:
        task = await self._task_of(record)
        if task is not None and task.status.ended:
            raise errors.TaskInterrupted
        return task

    async def _unused(self, session_id: str, template: Question) -> Question:
        """A template that was asked before is asked again under the next number."""
        for number in count(1):
            question = asked_again(template, number)
            if await self._store.question(session_id, question.question_id) is None:
                break
        return question

    async def _check_unused(self, session_id: str, questions: Sequence[Question]) -> None:
        """Neither asked in this session, nor to be opened by an answer that still waits. Raises QuestionInvalid."""
        wanted = {each.question_id for question in questions for each in question.tree()}
        opening = await self._store.opening_questions(session_id)
        taken = {each.question_id for record in opening for each in record.question.tree()}
        for question_id in wanted:
            if question_id in taken or await self._store.question(session_id, question_id) is not None:
                raise errors.QuestionInvalid(f"{question_id}: used in this session already")

    def _refused(self, record: QuestionRecord) -> QuestionRecord:
        said = messages.ASKED_TOO_OFTEN.say(self._language, limit=self._limit)
        # It was never asked, so it is no round.
        return settled(record, QuestionState.CANCELLED, Act(AnsweredBy.LIMIT, self._now()), reason=said, round=0)

    def _limit_notice(self, task: TaskRecord) -> Info:
        return Info(
            content=messages.ASKED_TOO_OFTEN.say(self._language, limit=self._limit),
            timestamp=self._now(),
            session_id=task.session_id,
            task_id=task.task_id,
            metadata={"notice": "question_limit", "limit": self._limit},
        )

    async def _is_over_limit(self, task: TaskRecord, asking: Asking) -> bool:
        if not asking.by_model or asking.kind is not QuestionKind.QUESTION:
            return False
        asked, _ = await self._store.questions(
            states=frozenset(QuestionState), session_id=task.session_id, task_id=task.task_id, limit=10_000
        )
        spoken = await self._store.instructions(task.task_id, receipts=frozenset({ReceiptState.CONSUMED}))
        since = max((each.accepted_at for each in spoken if each.mode is not None), default="")
        calls = {
            record.call_id
            for record in asked
            if record.kind is QuestionKind.QUESTION and record.memo["by_model"] and record.asked_at >= since
        }
        return len(calls) >= self._limit


def _must_wait(record: QuestionRecord) -> None:
    """Raises what tells a late answer from an early one, in the contract's order."""
    if record.answered_by is AnsweredBy.LIMIT:
        raise errors.RecursiveLimitExceeded
    if record.state is QuestionState.TIMEOUT:
        raise errors.QuestionNotFound
    if record.answered_by is AnsweredBy.TASK_END:
        raise errors.TaskInterrupted
    if record.state is not QuestionState.PENDING:
        raise errors.AlreadyAnswered(record.answered_by, record.answered_at, record.door)
