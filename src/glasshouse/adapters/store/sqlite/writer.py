"""The one thread that writes: it takes all that waits, commits it as one, and reports it as one."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any

import apsw

from glasshouse.adapters.store.sqlite.batch import Batch
from glasshouse.adapters.store.sqlite.rows import (
    SELECT_INSTRUCTIONS,
    SELECT_QUESTIONS,
    SELECT_TASKS,
    instruction_of,
    question_of,
    task_of,
)
from glasshouse.core.heads import Heads, Taken
from glasshouse.core.lifecycle import UNENDED
from glasshouse.core.ports import (
    Append,
    Frame,
    InstructionRecord,
    QuestionRecord,
    StoreRefused,
    StoreUnavailable,
    TaskRecord,
)

# So many sessions and tasks are remembered from one commit to the next.
_HEADS_KEPT = 20_000


@dataclass(frozen=True, slots=True)
class Statement:
    """A write that is no step of a session."""

    sql: str
    bindings: tuple[Any, ...]
    by_person: bool = True


@dataclass(frozen=True, slots=True)
class Change:
    """A write that is no step of a session, and that has to see all that was written before it.

    `apply` runs inside the transaction and returns a number for its caller."""

    apply: Callable[[apsw.Cursor, Heads], int]
    by_person: bool = False


@dataclass(slots=True, eq=False)
class Job:
    """A write on its way, and what came of it: `taken`, a `problem`, or a number if it was no step."""

    work: Append | Statement | Change
    done: asyncio.Future[int]
    # Live frames that were published after this step, and so are delivered after it.
    followers: list[Frame] = field(default_factory=list)
    taken: Taken | None = None
    problem: Exception | None = None
    number: int = 0


class Writer:
    """`report` is called in the writer's thread, with every job once, in the order of commits."""

    def __init__(
        self,
        connection: apsw.Connection,
        report: Callable[[Sequence[Job]], None],
        between_commits: Callable[[], None],
    ) -> None:
        self._connection = connection
        self._cursor = connection.cursor()
        self._report = report
        self._between_commits = between_commits
        self._heads = Heads(_Committed(self._cursor))
        self._waiting: SimpleQueue[Job | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="glasshouse-writer", daemon=True)
        self._synchronous = ""
        self.commits = 0

    def start(self) -> None:
        self._thread.start()

    def put(self, job: Job) -> None:
        self._waiting.put(job)

    def stop(self) -> None:
        """Returns when all that was put is written and reported."""
        self._waiting.put(None)
        self._thread.join()

    def _run(self) -> None:
        going = True
        while going:
            waiting = [self._waiting.get(), *(self._waiting.get() for _ in range(self._waiting.qsize()))]
            going = waiting[-1] is not None
            jobs = [job for job in waiting if job is not None]
            if jobs:
                self._commit(jobs)
                self._report(jobs)
                self._between_commits()

    def _commit(self, jobs: Sequence[Job]) -> None:
        try:
            self._write(jobs)
        except Exception as problem:  # whatever it is, the one whose write it was is told, and the thread lives on
            self._undo()
            if len(jobs) == 1:
                jobs[0].taken, jobs[0].problem = None, _as_seen_outside(problem)
                return
            # One of them may be at fault, or too large for what is left of the disk: now each stands for itself.
            for job in jobs:
                self._commit([job])
        else:
            self.commits += 1
            self._heads.forget_what_is_written()
            if len(self._heads) > _HEADS_KEPT:
                self._heads.clear()

    def _write(self, jobs: Sequence[Job]) -> None:
        self._synchronize("FULL" if any(job.work.by_person for job in jobs) else "NORMAL")
        self._cursor.execute("BEGIN IMMEDIATE")
        batch = Batch()
        for job in jobs:
            match job.work:
                case Append() as step:
                    self._take(job, step, batch)
                case Statement(sql, bindings):
                    self._cursor.execute(sql, bindings)
                case Change(apply):
                    batch.write(self._cursor)
                    batch = Batch()
                    job.number = apply(self._cursor, self._heads)
        batch.write(self._cursor)
        self._cursor.execute("COMMIT")

    def _take(self, job: Job, step: Append, batch: Batch) -> None:
        job.taken, job.problem = None, None
        try:
            job.taken = self._heads.take(step)
        except StoreRefused as refusal:
            job.problem = refusal
        else:
            batch.add(step, job.taken)

    def _undo(self) -> None:
        self._heads.clear()
        # SQLite has rolled back by itself after some errors; one that cannot be rolled back fails the next BEGIN.
        with suppress(apsw.Error):
            if self._connection.in_transaction:
                self._cursor.execute("ROLLBACK")

    def _synchronize(self, level: str) -> None:
        """FULL: this commit, and with it all before it, is on the disk when it returns."""
        if level != self._synchronous:
            # This pragma works when it is compiled: taken from the cache of statements it would do nothing.
            self._cursor.execute(f"PRAGMA synchronous = {level}", can_cache=False)
            self._synchronous = level


class _Committed:
    """The source of heads that are not in memory: asked within a transaction, before it writes."""

    def __init__(self, cursor: apsw.Cursor) -> None:
        self._cursor = cursor

    def last(self, session_id: str) -> int:
        for (last,) in self._cursor.execute("SELECT last FROM log WHERE session_id = ?", (session_id,)):
            return int(last)
        return 0

    def task(self, task_id: str) -> TaskRecord | None:
        for row in self._cursor.execute(f"{SELECT_TASKS} WHERE task_id = ?", (task_id,)):
            return task_of(row)
        return None

    def question(self, session_id: str, question_id: str) -> QuestionRecord | None:
        sql = f"{SELECT_QUESTIONS} WHERE session_id = ? AND question_id = ?"
        for row in self._cursor.execute(sql, (session_id, question_id)):
            return question_of(row)
        return None

    def instruction(self, task_id: str, instruction_id: str) -> InstructionRecord | None:
        sql = f"{SELECT_INSTRUCTIONS} WHERE task_id = ? AND instruction_id = ?"
        for row in self._cursor.execute(sql, (task_id, instruction_id)):
            return instruction_of(row)
        return None

    def open_instructions(self, task_id: str) -> set[str]:
        sql = "SELECT instruction_id FROM instruction WHERE task_id = ? AND is_open"
        return {instruction_id for (instruction_id,) in self._cursor.execute(sql, (task_id,))}

    def unended(self, session_id: str) -> set[str]:
        statuses = ", ".join(f"'{status}'" for status in UNENDED)
        rows = self._cursor.execute(
            f"SELECT task_id FROM task WHERE session_id = ? AND status IN ({statuses})", (session_id,)
        )
        return {task_id for (task_id,) in rows}


def _as_seen_outside(problem: Exception) -> Exception:
    if not isinstance(problem, apsw.Error):
        return problem
    unavailable = StoreUnavailable(str(problem))
    unavailable.__cause__ = problem
    return unavailable
