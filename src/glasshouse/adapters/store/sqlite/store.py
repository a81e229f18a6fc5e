"""What the port `Store` promises, kept by one file, one writing thread and the fan-out."""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import chain
from pathlib import Path

import apsw
import orjson

from glasshouse.adapters.store.sqlite.checkpoints import Checkpoints
from glasshouse.adapters.store.sqlite.file import DatabaseFile
from glasshouse.adapters.store.sqlite.forgetting import QUIET_SESSIONS, forget_events, forget_records
from glasshouse.adapters.store.sqlite.readers import Readers
from glasshouse.adapters.store.sqlite.rows import (
    SELECT_INSTRUCTIONS,
    SELECT_QUESTIONS,
    SELECT_SESSION,
    SELECT_SESSIONS,
    SELECT_TASKS,
    SELECT_TRUST,
    frame_of,
    instruction_of,
    question_of,
    session_of,
    task_of,
    trust_of,
)
from glasshouse.adapters.store.sqlite.writer import Change, Job, Statement, Writer
from glasshouse.contract.instruction import ReceiptState
from glasshouse.contract.question import QuestionState
from glasshouse.contract.task import TaskStatus
from glasshouse.core.fanout import Fanout
from glasshouse.core.heads import Heads
from glasshouse.core.lifecycle import UNENDED
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

_UNENDED_STATUSES = orjson.dumps([*UNENDED]).decode()
_CURRENT_TASKS = f"""
{SELECT_TASKS} WHERE admitted IN (
    SELECT coalesce(
        (SELECT min(admitted) FROM task WHERE session_id = wanted.value
            AND status IN (SELECT value FROM json_each(?2))),
        (SELECT max(admitted) FROM task WHERE session_id = wanted.value))
    FROM json_each(?1) AS wanted)
"""
_COSTS = """
SELECT session_id, sum(result ->> 'cost_usd') AS cost FROM task
WHERE result IS NOT NULL AND (?1 IS NULL OR session_id IN (SELECT value FROM json_each(?1)))
GROUP BY session_id HAVING cost IS NOT NULL
"""
_READ = "SELECT seq, task_id, ends_task, body FROM event WHERE session_id = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3"
# A task's events lie within its span, with those of few others: no index of their own is needed to find them.
_READ_TASK = (
    "SELECT seq, event.task_id, ends_task, body FROM event "
    "WHERE session_id = ?1 AND event.task_id = ?4 "
    "AND seq > max(?2, ifnull((SELECT first_seq - 1 FROM span WHERE task_id = ?4), 0)) "
    "AND seq <= ifnull((SELECT last_seq FROM span WHERE task_id = ?4), 1 << 62) ORDER BY seq LIMIT ?3"
)
_BOUNDS = (
    "SELECT ifnull((SELECT min(seq) FROM event WHERE session_id = ?1), last + 1), last FROM log WHERE session_id = ?1"
)
_TASKS = (
    f"{SELECT_TASKS} WHERE status IN (SELECT value FROM json_each(?1)) "
    "AND (?2 IS NULL OR session_id = ?2) ORDER BY admitted"
)

_QUESTION = f"{SELECT_QUESTIONS} WHERE session_id = ? AND question_id = ?"
_QUESTIONS_OF_CALL = f"{SELECT_QUESTIONS} WHERE session_id = ? AND call_id = ? ORDER BY asked"
_OPENING_QUESTIONS = f"{SELECT_QUESTIONS} WHERE session_id = ? AND state = 'pending' AND opens ORDER BY asked"
_INSTRUCTION = f"{SELECT_INSTRUCTIONS} WHERE task_id = ? AND instruction_id = ?"
_INSTRUCTIONS = f"{SELECT_INSTRUCTIONS} WHERE task_id = ? ORDER BY accepted"
_OPEN_INSTRUCTIONS = f"{SELECT_INSTRUCTIONS} WHERE task_id = ? AND is_open ORDER BY accepted"
# Looked at every second, while thousands may wait that are never due.
_DUE_QUESTIONS = (
    f"{SELECT_QUESTIONS} INDEXED BY question_by_due WHERE state = 'pending' AND due_at_uptime_s <= ? ORDER BY asked"
)
_TRUST_QUESTIONS = (
    f"{SELECT_QUESTIONS} WHERE state = 'pending' AND json_extract(record, '$.kind') = 'trust' ORDER BY asked"
)
_FORGET_TRUST = "DELETE FROM trust WHERE directory = ?"
_ROUNDS = "SELECT ifnull(max(round), 0) FROM question WHERE session_id = ?"
_NOTE_UPTIME = "INSERT INTO uptime VALUES (1, ?) ON CONFLICT DO UPDATE SET seconds = max(seconds, excluded.seconds)"


class _AtWork:
    """What runs between open and close."""

    def __init__(self, file: DatabaseFile, report: Callable[[Sequence[Job]], None]) -> None:
        self._file = file
        self._connection = file.open()
        self._checkpoints = Checkpoints(self._connection, file.connect(to_write=True))
        self.writer = Writer(self._connection, report, self._checkpoints.between_commits)
        self.readers = Readers(file.connect)
        self.writer.start()
        self._checkpoints.start()

    def end(self) -> None:
        self.writer.stop()
        self._checkpoints.stop()
        self.readers.close()
        self._file.close(self._connection)


class SqliteStore:
    def __init__(self, path: Path) -> None:
        self._file = DatabaseFile(path)
        self._at_work: _AtWork | None = None
        self._fanout = Fanout()
        # The newest append of each session that is on its way.
        self._newest: dict[str, Job] = {}

    async def open(self) -> None:
        """Raises StoreUnusable."""
        loop = asyncio.get_running_loop()

        def report(jobs: Sequence[Job]) -> None:
            loop.call_soon_threadsafe(self._settle, jobs)

        self._fanout = Fanout()
        self._at_work = await asyncio.to_thread(_AtWork, self._file, report)

    async def close(self) -> None:
        ending, self._at_work = self._at_work, None
        if ending is not None:
            await asyncio.to_thread(ending.end)
        self._fanout.close()

    async def append(self, step: Append) -> int:
        job = Job(step, asyncio.get_running_loop().create_future())
        self._open.writer.put(job)
        self._newest[step.session_id] = job
        return await job.done

    def publish(self, session_id: str, entry: Entry) -> None:
        if not self._fanout.listened_to(session_id):
            return
        frame = Frame(None, entry.task_id, entry.body)
        ahead = self._newest.get(session_id)
        if ahead is None:
            self._fanout.deliver(session_id, (frame,))
        else:
            ahead.followers.append(frame)

    def subscribe(self, session_id: str) -> Subscription:
        return self._fanout.subscribe(session_id)

    def subscribe_tasks(self) -> TaskChanges:
        return self._fanout.subscribe_tasks()

    def subscribe_questions(self) -> QuestionChanges:
        return self._fanout.subscribe_questions()

    def hang_up(self) -> None:
        self._fanout.close()

    async def read(self, session_id: str, *, after: int, limit: int, task_id: str | None = None) -> Sequence[Frame]:
        readers = self._open.readers
        if task_id is None:
            return await readers.all(frame_of, _READ, session_id, after, limit)
        return await readers.all(frame_of, _READ_TASK, session_id, after, limit, task_id)

    async def bounds(self, session_id: str) -> Bounds:
        found = await self._open.readers.one(lambda row: Bounds(*row), _BOUNDS, session_id)
        return found or Bounds(first=1, last=0)

    async def task(self, task_id: str) -> TaskRecord | None:
        return await self._open.readers.one(task_of, f"{SELECT_TASKS} WHERE task_id = ?", task_id)

    async def tasks(self, *, statuses: frozenset[TaskStatus], session_id: str | None = None) -> Sequence[TaskRecord]:
        return await self._open.readers.all(task_of, _TASKS, orjson.dumps(list(statuses)).decode(), session_id)

    async def session(self, session_id: str) -> SessionRecord | None:
        return await self._open.readers.one(session_of, SELECT_SESSION, session_id)

    async def sessions(self) -> Sequence[SessionRecord]:
        return await self._open.readers.all(session_of, SELECT_SESSIONS)

    async def current_tasks(self, session_ids: Collection[str]) -> Mapping[str, TaskRecord]:
        wanted = orjson.dumps([*session_ids]).decode()
        records = await self._open.readers.all(task_of, _CURRENT_TASKS, wanted, _UNENDED_STATUSES)
        return {record.session_id: record for record in records}

    async def costs(self, session_ids: Collection[str] | None = None) -> Mapping[str, float]:
        wanted = None if session_ids is None else orjson.dumps([*session_ids]).decode()
        return dict(await self._open.readers.all(lambda row: (row[0], row[1]), _COSTS, wanted))

    async def question(self, session_id: str, question_id: str) -> QuestionRecord | None:
        return await self._open.readers.one(question_of, _QUESTION, session_id, question_id)

    async def questions_of_call(self, session_id: str, call_id: str) -> Sequence[QuestionRecord]:
        return await self._open.readers.all(question_of, _QUESTIONS_OF_CALL, session_id, call_id)

    async def questions(
        self,
        *,
        states: frozenset[QuestionState],
        limit: int,
        session_id: str | None = None,
        task_id: str | None = None,
        after: int = 0,
    ) -> tuple[Sequence[QuestionRecord], int | None]:
        named = {"session_id": session_id, "task_id": task_id}
        given = {name: value for name, value in named.items() if value is not None}
        # One query a state, each along an index in its order: thousands that wait cost a page no more than ten.
        pages = [
            await self._open.readers.all(
                lambda row: (row[0], question_of(row)),
                f"{SELECT_QUESTIONS} WHERE state = ? AND asked > ? "
                f"{''.join(f'AND {name} = ? ' for name in given)}ORDER BY asked LIMIT ?",
                state.value,
                after,
                *given.values(),
                limit + 1,
            )
            for state in sorted(states)
        ]
        found = sorted(chain.from_iterable(pages), key=lambda each: each[0])
        page = found[:limit]
        return [record for _, record in page], page[-1][0] if len(found) > limit else None

    async def instruction(self, task_id: str, instruction_id: str) -> InstructionRecord | None:
        return await self._open.readers.one(instruction_of, _INSTRUCTION, task_id, instruction_id)

    async def instructions(
        self, task_id: str, *, receipts: frozenset[ReceiptState] = frozenset(ReceiptState)
    ) -> Sequence[InstructionRecord]:
        only_open = all(receipt.is_open for receipt in receipts)
        records = await self._open.readers.all(
            instruction_of, _OPEN_INSTRUCTIONS if only_open else _INSTRUCTIONS, task_id
        )
        return [record for record in records if record.receipt in receipts]

    async def opening_questions(self, session_id: str) -> Sequence[QuestionRecord]:
        return await self._open.readers.all(question_of, _OPENING_QUESTIONS, session_id)

    async def due_questions(self, uptime_s: float) -> Sequence[QuestionRecord]:
        return await self._open.readers.all(question_of, _DUE_QUESTIONS, uptime_s)

    async def trust_questions(self) -> Sequence[QuestionRecord]:
        return await self._open.readers.all(question_of, _TRUST_QUESTIONS)

    async def trust(self, directory: str, digest: str) -> TrustRecord | None:
        sql = f"{SELECT_TRUST} WHERE directory = ? AND digest = ?"
        return await self._open.readers.one(trust_of, sql, directory, digest)

    async def trusts(self) -> Sequence[TrustRecord]:
        return await self._open.readers.all(trust_of, f"{SELECT_TRUST} ORDER BY directory, decided_at DESC, digest")

    async def forget_trust(self, directory: str) -> int:
        found = [each for each in await self.trusts() if each.directory == directory]
        if found:
            await self._do(_FORGET_TRUST, directory)
        return len(found)

    async def asking_rounds(self, session_id: str) -> int:
        return await self._open.readers.one(lambda row: int(row[0]), _ROUNDS, session_id) or 0

    async def uptime_s(self) -> float:
        return await self._open.readers.one(lambda row: float(row[0]), "SELECT seconds FROM uptime") or 0.0

    async def note_uptime(self, uptime_s: float) -> None:
        job = Job(Statement(_NOTE_UPTIME, (uptime_s,), by_person=False), asyncio.get_running_loop().create_future())
        self._open.writer.put(job)
        await job.done

    async def blob(self, sha256: str) -> bytes | None:
        return await self._open.readers.one(
            lambda row: bytes(row[0]), "SELECT content FROM blob WHERE sha256 = ?", sha256
        )

    async def quiet_sessions(self, before: str) -> Sequence[str]:
        return await self._open.readers.all(lambda row: str(row[0]), QUIET_SESSIONS, before)

    async def forget(self, session_id: str, before: str) -> bool:
        last = await self._change(lambda cursor, heads: forget_records(cursor, heads, session_id, before))
        # What is appended from here on has higher numbers.
        while last and await self._change(lambda cursor, _: forget_events(cursor, session_id, last)):
            pass
        return last > 0

    async def add_sign_in(self, token_hash: str, expires_at: float) -> None:
        await self._do("INSERT OR REPLACE INTO sign_in VALUES (?, ?)", token_hash, expires_at)

    async def sign_ins(self) -> Mapping[str, float]:
        return dict(await self._open.readers.all(lambda row: (row[0], row[1]), "SELECT * FROM sign_in"))

    async def remove_sign_in(self, token_hash: str) -> None:
        await self._do("DELETE FROM sign_in WHERE token_hash = ?", token_hash)

    async def _do(self, sql: str, *bindings: object) -> None:
        job = Job(Statement(sql, bindings), asyncio.get_running_loop().create_future())
        self._open.writer.put(job)
        await job.done

    async def _change(self, apply: Callable[[apsw.Cursor, Heads], int]) -> int:
        job = Job(Change(apply), asyncio.get_running_loop().create_future())
        self._open.writer.put(job)
        return await job.done

    @property
    def _open(self) -> _AtWork:
        if self._at_work is None:
            raise StoreUnavailable("the store is closed")
        return self._at_work

    def _settle(self, jobs: Sequence[Job]) -> None:
        """On the event loop, once a commit: subscribers first, then those who wrote."""
        for job in jobs:
            self._deliver(job)
            if job.done.done():
                continue  # Its caller no longer waits; what is in the log stays there.
            if job.problem is not None:
                job.done.set_exception(job.problem)
            else:
                job.done.set_result(job.number if job.taken is None else job.taken.last)

    def _deliver(self, job: Job) -> None:
        if not isinstance(job.work, Append):
            return
        session_id = job.work.session_id
        if self._newest.get(session_id) is job:
            del self._newest[session_id]
        if job.taken is not None:
            self._fanout.deliver(session_id, job.taken.frames)
            if job.taken.task is not None:
                self._fanout.deliver_task(job.taken.task)
            self._fanout.deliver_questions(job.work.questions)
        if job.followers:
            self._fanout.deliver(session_id, job.followers)
