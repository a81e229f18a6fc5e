"""What one commit writes: many steps, gathered so that each table is written once."""

from itertools import chain
from typing import Any

import apsw

from glasshouse.adapters.store.sqlite.rows import (
    UPSERT_INSTRUCTION,
    UPSERT_QUESTION,
    UPSERT_SESSION,
    UPSERT_TASK,
    UPSERT_TRUST,
    instruction_row,
    question_row,
    session_row,
    task_row,
    trust_row,
)
from glasshouse.core.heads import Taken
from glasshouse.core.ports import (
    Append,
    Blob,
    InstructionRecord,
    QuestionRecord,
    SessionRecord,
    TaskRecord,
    TrustRecord,
)

# A statement with many rows is one call into SQLite, and each call lets go of the interpreter's lock:
# under load every one of them costs the writer a wait for the event loop.
_ROWS_AT_ONCE = (64, 8, 1)
_INSERT_EVENTS = {
    count: "INSERT INTO event (session_id, seq, task_id, ends_task, body) VALUES "
    + ", ".join("(?, ?, ?, ?, ?)" for _ in range(count))
    for count in _ROWS_AT_ONCE
}
_SET_LAST = "INSERT INTO log VALUES (?, ?) ON CONFLICT DO UPDATE SET last = excluded.last"
_SET_SPAN = (
    "INSERT INTO span VALUES (?, ?, ?) "
    "ON CONFLICT DO UPDATE SET first_seq = excluded.first_seq, last_seq = excluded.last_seq"
)

Row = tuple[Any, ...]


class Batch:
    def __init__(self) -> None:
        self._events: list[Row] = []
        self._last: dict[str, int] = {}
        self._spans: dict[str, tuple[int, int]] = {}
        self._tasks: dict[str, TaskRecord] = {}
        self._sessions: dict[str, SessionRecord] = {}
        self._questions: dict[tuple[str, str], QuestionRecord] = {}
        self._trust: list[TrustRecord] = []
        self._instructions: dict[tuple[str, str], InstructionRecord] = {}
        self._blobs: list[tuple[str, Blob]] = []

    def add(self, step: Append, taken: Taken) -> None:
        session_id = step.session_id
        for frame in taken.frames:
            self._events.append((session_id, frame.seq, frame.task_id, frame.ends_task, frame.body))
        if taken.frames:
            self._last[session_id] = taken.last
        self._spans.update(taken.spans)
        if taken.task is not None:
            self._tasks[taken.task.task_id] = taken.task
        if step.session is not None:
            self._sessions[session_id] = step.session
        for question in step.questions:
            self._questions[question.session_id, question.question_id] = question
        self._trust.extend(step.trust)
        for instruction in step.instructions:
            self._instructions[instruction.task_id, instruction.instruction_id] = instruction
        for entry in step.entries:
            self._blobs.extend((session_id, blob) for blob in entry.blobs)

    def write(self, cursor: apsw.Cursor) -> None:
        """Inside the caller's transaction."""
        self._write_events(cursor)
        for session_id, last in self._last.items():
            cursor.execute(_SET_LAST, (session_id, last))
        for task_id, span in self._spans.items():
            cursor.execute(_SET_SPAN, (task_id, *span))
        for task in self._tasks.values():
            cursor.execute(UPSERT_TASK, task_row(task))
        for session in self._sessions.values():
            cursor.execute(UPSERT_SESSION, session_row(session))
        for question in self._questions.values():
            cursor.execute(UPSERT_QUESTION, question_row(question))
        for trust in self._trust:
            cursor.execute(UPSERT_TRUST, trust_row(trust))
        for instruction in self._instructions.values():
            cursor.execute(UPSERT_INSTRUCTION, instruction_row(instruction))
        for session_id, blob in self._blobs:
            cursor.execute("INSERT OR IGNORE INTO blob VALUES (?, ?)", (blob.sha256, blob.content))
            cursor.execute("INSERT OR IGNORE INTO blob_use VALUES (?, ?)", (session_id, blob.sha256))

    def _write_events(self, cursor: apsw.Cursor) -> None:
        start = 0
        for count in _ROWS_AT_ONCE:
            while len(self._events) - start >= count:
                rows = self._events[start : start + count]
                cursor.execute(_INSERT_EVENTS[count], tuple(chain.from_iterable(rows)))
                start += count
