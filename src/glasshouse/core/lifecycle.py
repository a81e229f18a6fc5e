"""The life of a task: which state may follow which."""

from dataclasses import replace
from typing import Any

from glasshouse.contract.task import TaskStatus
from glasshouse.core.ports import TaskIs, TaskRecord

QUEUED, RUNNING, WAITING, PARKED = TaskStatus.QUEUED, TaskStatus.RUNNING, TaskStatus.WAITING, TaskStatus.PARKED
COMPLETED, FAILED = TaskStatus.COMPLETED, TaskStatus.FAILED
CANCELLED, INTERRUPTED = TaskStatus.CANCELLED, TaskStatus.INTERRUPTED

ENDED = frozenset({COMPLETED, FAILED, CANCELLED, INTERRUPTED})

MOVES: dict[TaskStatus, frozenset[TaskStatus]] = {
    QUEUED: frozenset({RUNNING, CANCELLED}),
    RUNNING: ENDED | {WAITING, PARKED},
    WAITING: ENDED | {RUNNING},
    PARKED: ENDED | {RUNNING},
    COMPLETED: frozenset(),
    FAILED: frozenset(),
    CANCELLED: frozenset(),
    INTERRUPTED: frozenset(),
}
UNENDED = frozenset({QUEUED, RUNNING, WAITING, PARKED})


class IllegalMove(Exception):
    """A task cannot go from this state to that one."""

    def __init__(self, record: TaskRecord, to: TaskStatus) -> None:
        super().__init__(f"task {record.task_id} is {record.status} and cannot become {to}")


def moved(record: TaskRecord, to: TaskStatus, **changes: Any) -> TaskRecord:
    """The record in its next state. Raises IllegalMove."""
    if to not in MOVES[record.status]:
        raise IllegalMove(record, to)
    return replace(record, status=to, **changes)


def at_work(record: TaskRecord) -> TaskIs:
    """What everything expects that is done for a task by the one process that has it, whether it waits or not."""
    return TaskIs(record.task_id, frozenset({RUNNING, WAITING}), record.generation)


def still(record: TaskRecord) -> TaskIs:
    """What an append expects that follows from this record: nobody has moved the task since."""
    return TaskIs(record.task_id, frozenset({record.status}), record.generation)
