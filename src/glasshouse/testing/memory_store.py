"""The store's twin in memory: the same port and the same meaning, for tests; it forgets with its process."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from itertools import islice

import orjson

from glasshouse.contract.instruction import ReceiptState
from glasshouse.contract.question import QuestionKind, QuestionState
from glasshouse.contract.task import TaskStatus
from glasshouse.core.fanout import Fanout
from glasshouse.core.heads import Heads
from glasshouse.core.ports import (
    Append,
    Bounds,
    Entry,
    Frame,
    InstructionRecord,
    QuestionChanges,
    QuestionRecord,
    SessionRecord,
    StoreUnavailable,
    Subscription,
    TaskChanges,
    TaskRecord,
    TrustRecord,
)


class _NothingElsewhere:
    def last(self, session_id: str) -> int:
        return 0

    def task(self, task_id: str) -> TaskRecord | None:
        return None

    def unended(self, session_id: str) -> set[str]:
        return set()

    def question(self, session_id: str, question_id: str) -> QuestionRecord | None:
        return None

    def instruction(self, task_id: str, instruction_id: str) -> InstructionRecord | None:
        return None

    def open_instructions(self, task_id: str) -> set[str]:
        return set()


class MemoryStore:
    """Closed and opened again it still has all, as a file would."""

    def __init__(self) -> None:
        self._heads = Heads(_NothingElsewhere())
        self._logs: dict[str, list[Frame]] = {}
        # How many events of a session were forgotten, and which sessions use a blob.
        self._gone: dict[str, int] = {}
        self._blob_uses: dict[str, set[str]] = {}
        self._admitted: dict[str, None] = {}
        self._sessions: dict[str, SessionRecord] = {}
        self._questions: dict[tuple[str, str], QuestionRecord] = {}
        self._trusts: dict[tuple[str, str], TrustRecord] = {}
        self._instructions: dict[tuple[str, str], InstructionRecord] = {}
        self._uptime_s = 0.0
        self._blobs: dict[str, bytes] = {}
        self._sign_ins: dict[str, float] = {}
        self._fanout = Fanout()
        self._open = False

    async def open(self) -> None:
        self._fanout = Fanout()
        self._open = True

    async def close(self) -> None:
        self._open = False
        self._fanout.close()

    async def append(self, step: Append) -> int:
        if not self._open:
            raise StoreUnavailable("the store is closed")
        taken = self._heads.take(step)
        self._logs.setdefault(step.session_id, []).extend(taken.frames)
        for blob in (blob for entry in step.entries for blob in entry.blobs):
            self._blobs[blob.sha256] = blob.content
            self._blob_uses.setdefault(blob.sha256, set()).add(step.session_id)
        for question in step.questions:
            self._questions[question.session_id, question.question_id] = question
        self._trusts.update(((each.directory, each.digest), each) for each in step.trust)
        for instruction in step.instructions:
            self._instructions[instruction.task_id, instruction.instruction_id] = instruction
        if step.session is not None:
            self._sessions[step.session_id] = step.session
        self._fanout.deliver(step.session_id, taken.frames)
        if taken.task is not None:
            self._admitted[taken.task.task_id] = None
            self._fanout.deliver_task(taken.task)
        self._fanout.deliver_questions(step.questions)
        # Others go on before the caller does, as they do while a real store writes.
        await asyncio.sleep(0)
        return taken.last

    def publish(self, session_id: str, entry: Entry) -> None:
        self._fanout.deliver(session_id, (Frame(None, entry.task_id, entry.body),))

    def subscribe(self, session_id: str) -> Subscription:
        return self._fanout.subscribe(session_id)

    def subscribe_tasks(self) -> TaskChanges:
        return self._fanout.subscribe_tasks()

    def subscribe_questions(self) -> QuestionChanges:
        return self._fanout.subscribe_questions()

    def hang_up(self) -> None:
        self._fanout.close()

    async def read(self, session_id: str, *, after: int, limit: int, task_id: str | None = None) -> Sequence[Frame]:
        log = self._logs.get(session_id, [])
        newer = islice(log, max(0, after - self._gone.get(session_id, 0)), None)
        return list(islice((frame for frame in newer if task_id is None or frame.task_id == task_id), limit))

    async def bounds(self, session_id: str) -> Bounds:
        gone = self._gone.get(session_id, 0)
        return Bounds(first=gone + 1, last=gone + len(self._logs.get(session_id, ())))

    async def task(self, task_id: str) -> TaskRecord | None:
        return self._heads.task(task_id)

    async def tasks(self, *, statuses: frozenset[TaskStatus], session_id: str | None = None) -> Sequence[TaskRecord]:
        records = (self._heads.task(task_id) for task_id in self._admitted)
        return [
            record
            for record in records
            if record is not None
            and record.status in statuses
            and (session_id is None or record.session_id == session_id)
        ]

    async def session(self, session_id: str) -> SessionRecord | None:
        return self._sessions.get(session_id)

    async def sessions(self) -> Sequence[SessionRecord]:
        return sorted(self._sessions.values(), key=lambda one: one.created_at, reverse=True)

    async def current_tasks(self, session_ids: Collection[str]) -> Mapping[str, TaskRecord]:
        current: dict[str, TaskRecord] = {}
        for record in (self._heads.task(task_id) for task_id in self._admitted):
            if record is None or record.session_id not in session_ids:
                continue
            before = current.get(record.session_id)
            if before is None or before.status.ended:
                current[record.session_id] = record
        return current

    async def costs(self, session_ids: Collection[str] | None = None) -> Mapping[str, float]:
        costs: dict[str, float] = {}
        for record in (self._heads.task(task_id) for task_id in self._admitted):
            result = None if record is None else record.result
            if record is None or result is None or result.cost_usd is None:
                continue
            if session_ids is None or record.session_id in session_ids:
                costs[record.session_id] = costs.get(record.session_id, 0.0) + result.cost_usd
        return costs

    async def question(self, session_id: str, question_id: str) -> QuestionRecord | None:
        return self._questions.get((session_id, question_id))

    async def questions_of_call(self, session_id: str, call_id: str) -> Sequence[QuestionRecord]:
        everything = self._questions.values()
        return [each for each in everything if each.session_id == session_id and each.call_id == call_id]

    async def questions(
        self,
        *,
        states: frozenset[QuestionState],
        limit: int,
        session_id: str | None = None,
        task_id: str | None = None,
        after: int = 0,
    ) -> tuple[Sequence[QuestionRecord], int | None]:
        found = [
            (place, each)
            for place, each in enumerate(self._questions.values(), 1)
            if place > after
            and each.state in states
            and session_id in (None, each.session_id)
            and task_id in (None, each.task_id)
        ]
        page = found[:limit]
        return [each for _, each in page], page[-1][0] if len(found) > limit else None

    async def instruction(self, task_id: str, instruction_id: str) -> InstructionRecord | None:
        return self._instructions.get((task_id, instruction_id))

    async def instructions(
        self, task_id: str, *, receipts: frozenset[ReceiptState] = frozenset(ReceiptState)
    ) -> Sequence[InstructionRecord]:
        return [each for each in self._instructions.values() if each.task_id == task_id and each.receipt in receipts]

    async def opening_questions(self, session_id: str) -> Sequence[QuestionRecord]:
        return [
            each
            for each in self._questions.values()
            if each.session_id == session_id
            and each.state is QuestionState.PENDING
            and each.question.follow_up_questions
        ]

    async def due_questions(self, uptime_s: float) -> Sequence[QuestionRecord]:
        return [
            each
            for each in self._questions.values()
            if each.state is QuestionState.PENDING
            and each.due_at_uptime_s is not None
            and each.due_at_uptime_s <= uptime_s
        ]

    async def trust_questions(self) -> Sequence[QuestionRecord]:
        return [
            each
            for each in self._questions.values()
            if each.state is QuestionState.PENDING and each.kind is QuestionKind.TRUST
        ]

    async def trust(self, directory: str, digest: str) -> TrustRecord | None:
        return self._trusts.get((directory, digest))

    async def trusts(self) -> Sequence[TrustRecord]:
        newest_first = sorted(self._trusts.values(), key=lambda each: each.decided_at, reverse=True)
        return sorted(newest_first, key=lambda each: each.directory)

    async def forget_trust(self, directory: str) -> int:
        found = [key for key in self._trusts if key[0] == directory]
        for key in found:
            del self._trusts[key]
        return len(found)

    async def asking_rounds(self, session_id: str) -> int:
        rounds = [each.round for each in self._questions.values() if each.session_id == session_id]
        return max(rounds, default=0)

    async def uptime_s(self) -> float:
        return self._uptime_s

    async def note_uptime(self, uptime_s: float) -> None:
        self._uptime_s = max(self._uptime_s, uptime_s)

    async def blob(self, sha256: str) -> bytes | None:
        return self._blobs.get(sha256)

    async def quiet_sessions(self, before: str) -> Sequence[str]:
        return [session_id for session_id in self._logs if self._is_quiet(session_id, before)]

    async def forget(self, session_id: str, before: str) -> bool:
        if not self._is_quiet(session_id, before):
            return False
        self._gone[session_id] = self._gone.get(session_id, 0) + len(self._logs.pop(session_id))
        for task_id in self._tasks_of(session_id):
            del self._admitted[task_id]
        for key in [key for key in self._questions if key[0] == session_id]:
            del self._questions[key]
        for key in [key for key, each in self._instructions.items() if each.session_id == session_id]:
            del self._instructions[key]
        self._sessions.pop(session_id, None)
        for sha256, users in list(self._blob_uses.items()):
            users.discard(session_id)
            if not users:
                del self._blob_uses[sha256], self._blobs[sha256]
        self._heads.forget(session_id)
        return True

    def _is_quiet(self, session_id: str, before: str) -> bool:
        log = self._logs.get(session_id)
        if not log or orjson.loads(log[-1].body)["timestamp"] >= before:
            return False
        tasks = [self._heads.task(task_id) for task_id in self._tasks_of(session_id)]
        return all(task is None or task.status.ended for task in tasks) and not any(
            each.session_id == session_id and each.state is QuestionState.PENDING for each in self._questions.values()
        )

    def _tasks_of(self, session_id: str) -> list[str]:
        tasks = [self._heads.task(task_id) for task_id in self._admitted]
        return [task.task_id for task in tasks if task is not None and task.session_id == session_id]

    async def add_sign_in(self, token_hash: str, expires_at: float) -> None:
        self._sign_ins[token_hash] = expires_at

    async def sign_ins(self) -> Mapping[str, float]:
        return dict(self._sign_ins)

    async def remove_sign_in(self, token_hash: str) -> None:
        self._sign_ins.pop(token_hash, None)
