"""Where sessions and tasks stand: what the next step is judged by, numbered with, and what it changes.

For a store with one writer, which asks before each step. What is not in memory comes from the store's `Source`.
"""

from dataclasses import dataclass, replace
from typing import Protocol

from glasshouse.contract.question import QuestionState
from glasshouse.contract.task import TaskStatus
from glasshouse.core.ports import (
    Append,
    Expectation,
    Frame,
    InstructionExists,
    InstructionIsNew,
    InstructionRecord,
    InstructionsMoved,
    OpenInstructionsAre,
    QuestionExists,
    QuestionIsNew,
    QuestionIsPending,
    QuestionRecord,
    QuestionSettled,
    SessionIsFree,
    SessionTaken,
    TaskExists,
    TaskIs,
    TaskIsNew,
    TaskMoved,
    TaskRecord,
)


class Source(Protocol):
    """What the last commit left, for heads that are not in memory."""

    def last(self, session_id: str) -> int: ...

    def task(self, task_id: str) -> TaskRecord | None: ...

    def unended(self, session_id: str) -> set[str]: ...

    def question(self, session_id: str, question_id: str) -> QuestionRecord | None: ...

    def instruction(self, task_id: str, instruction_id: str) -> InstructionRecord | None: ...

    def open_instructions(self, task_id: str) -> set[str]: ...


class _TaskHead:
    """A task's record, and the span of its events, which grows with each event and leaves the record alone."""

    __slots__ = ("_record", "first_seq", "last_seq")

    def __init__(self, record: TaskRecord, first_seq: int | None, last_seq: int | None) -> None:
        self._record = record
        self.first_seq = first_seq
        self.last_seq = last_seq

    def reach(self, seq: int) -> tuple[int, int]:
        if self.first_seq is None:
            self.first_seq = seq
        self.last_seq = seq
        return self.first_seq, seq

    def is_at(self, statuses: frozenset[TaskStatus], generation: int) -> bool:
        return self._record.status in statuses and self._record.generation == generation

    @property
    def session_id(self) -> str:
        return self._record.session_id

    @property
    def record(self) -> TaskRecord:
        return replace(self._record, first_seq=self.first_seq, last_seq=self.last_seq)


@dataclass(frozen=True, slots=True)
class Taken:
    """What a step became. `spans` are the first and last numbers of the tasks whose events it has."""

    last: int
    frames: tuple[Frame, ...]
    spans: dict[str, tuple[int, int]]
    task: TaskRecord | None


class Heads:
    def __init__(self, source: Source) -> None:
        self._source = source
        self._last: dict[str, int] = {}
        self._tasks: dict[str, _TaskHead | None] = {}
        self._unended: dict[str, set[str]] = {}
        self._questions: dict[tuple[str, str], QuestionRecord | None] = {}
        self._instructions: dict[tuple[str, str], InstructionRecord | None] = {}
        self._open_instructions: dict[str, set[str]] = {}

    def __len__(self) -> int:
        return len(self._last) + len(self._tasks) + len(self._unended) + len(self._questions) + len(self._instructions)

    def clear(self) -> None:
        """Forget what is in memory; the source must hold all of it, or none of it ever happened."""
        self._last.clear()
        self._tasks.clear()
        self._unended.clear()
        self.forget_what_is_written()

    def forget_what_is_written(self) -> None:
        """Questions and instructions are rarely asked for twice, and thousands may wait: the source has them."""
        self._questions.clear()
        self._instructions.clear()
        self._open_instructions.clear()

    def forget(self, session_id: str) -> None:
        """The session's tasks, with all that belongs to them, are no more; its numbers go on from where they were."""
        gone = [task_id for task_id, head in self._tasks.items() if head is not None and head.session_id == session_id]
        for task_id in gone:
            del self._tasks[task_id]
            self._open_instructions.pop(task_id, None)
        for key in [key for key, record in self._instructions.items() if record and record.session_id == session_id]:
            del self._instructions[key]
        for key in [key for key in self._questions if key[0] == session_id]:
            del self._questions[key]
        self._unended.pop(session_id, None)

    def take(self, step: Append) -> Taken:
        """Judge the step, then let it happen. Raises StoreRefused, and then nothing has changed."""
        for expectation in step.expect:
            self._must_hold(expectation)
        if not all(entry.durable for entry in step.entries):
            raise ValueError("a live entry is published, not appended")
        last = self.last(step.session_id)
        frames = tuple(
            Frame(seq, entry.task_id, entry.body, entry.ends_task) for seq, entry in enumerate(step.entries, last + 1)
        )
        changed = None if step.task is None else self._replace(step.task)
        for question in step.questions:
            self._questions[question.session_id, question.question_id] = question
        for instruction in step.instructions:
            self._replace_instruction(instruction)
        spans = self._reach(frames, last)
        last += len(frames)
        self._last[step.session_id] = last
        return Taken(last, frames, spans, None if changed is None else changed.record)

    def last(self, session_id: str) -> int:
        last = self._last.get(session_id)
        if last is None:
            last = self._last[session_id] = self._source.last(session_id)
        return last

    def task(self, task_id: str) -> TaskRecord | None:
        head = self._task(task_id)
        return None if head is None else head.record

    def _must_hold(self, expectation: Expectation) -> None:
        match expectation:
            case TaskIs(task_id, statuses, generation):
                head = self._task(task_id)
                if head is None or not head.is_at(statuses, generation):
                    raise TaskMoved(None if head is None else head.record)
            case TaskIsNew(task_id):
                if (head := self._task(task_id)) is not None:
                    raise TaskExists(head.record)
            case SessionIsFree(session_id):
                if self._unended_of(session_id):
                    raise SessionTaken(session_id)
            case QuestionIsNew(session_id, question_id):
                if (question := self._question(session_id, question_id)) is not None:
                    raise QuestionExists(question)
            case QuestionIsPending(session_id, question_id):
                question = self._question(session_id, question_id)
                if question is None or question.state is not QuestionState.PENDING:
                    raise QuestionSettled(question)
            case InstructionIsNew() | OpenInstructionsAre():
                self._must_hold_of_instructions(expectation)

    def _must_hold_of_instructions(self, expectation: InstructionIsNew | OpenInstructionsAre) -> None:
        match expectation:
            case InstructionIsNew(task_id, instruction_id):
                if (instruction := self._instruction(task_id, instruction_id)) is not None:
                    raise InstructionExists(instruction)
            case OpenInstructionsAre(task_id, instruction_ids):
                if self._open_instructions_of(task_id) != instruction_ids:
                    raise InstructionsMoved(task_id)

    def _replace(self, record: TaskRecord) -> _TaskHead:
        before = self._task(record.task_id)
        span = (None, None) if before is None else (before.first_seq, before.last_seq)
        head = _TaskHead(record, *span)
        # Loaded before the change: the source knows nothing of what happens from here on.
        unended = self._unended_of(record.session_id)
        self._tasks[record.task_id] = head
        if record.status.ended:
            unended.discard(record.task_id)
        else:
            unended.add(record.task_id)
        return head

    def _reach(self, frames: tuple[Frame, ...], before: int) -> dict[str, tuple[int, int]]:
        spans: dict[str, tuple[int, int]] = {}
        for seq, frame in enumerate(frames, before + 1):
            head = None if frame.task_id is None else self._task(frame.task_id)
            if head is not None and frame.task_id is not None:
                spans[frame.task_id] = head.reach(seq)
        return spans

    def _task(self, task_id: str) -> _TaskHead | None:
        if task_id not in self._tasks:
            record = self._source.task(task_id)
            head = None if record is None else _TaskHead(record, record.first_seq, record.last_seq)
            self._tasks[task_id] = head
        return self._tasks[task_id]

    def _question(self, session_id: str, question_id: str) -> QuestionRecord | None:
        key = (session_id, question_id)
        if key not in self._questions:
            self._questions[key] = self._source.question(session_id, question_id)
        return self._questions[key]

    def _instruction(self, task_id: str, instruction_id: str) -> InstructionRecord | None:
        key = (task_id, instruction_id)
        if key not in self._instructions:
            self._instructions[key] = self._source.instruction(task_id, instruction_id)
        return self._instructions[key]

    def _replace_instruction(self, record: InstructionRecord) -> None:
        # Loaded before the change, as above.
        open_ones = self._open_instructions_of(record.task_id)
        self._instructions[record.task_id, record.instruction_id] = record
        if record.is_open:
            open_ones.add(record.instruction_id)
        else:
            open_ones.discard(record.instruction_id)

    def _open_instructions_of(self, task_id: str) -> set[str]:
        if task_id not in self._open_instructions:
            self._open_instructions[task_id] = self._source.open_instructions(task_id)
        return self._open_instructions[task_id]

    def _unended_of(self, session_id: str) -> set[str]:
        unended = self._unended.get(session_id)
        if unended is None:
            unended = self._unended[session_id] = self._source.unended(session_id)
        return unended
