"""Which state may follow which."""

import itertools

import pytest

from glasshouse.contract.ids import new_id
from glasshouse.contract.task import TaskStatus
from glasshouse.core.lifecycle import MOVES, UNENDED, IllegalMove, moved, still
from glasshouse.core.ports import TaskRecord

ALLOWED = {
    ("queued", "running"),
    ("queued", "cancelled"),
    *(("running", to) for to in ("completed", "failed", "cancelled", "interrupted", "waiting", "parked")),
    *(("waiting", to) for to in ("completed", "failed", "cancelled", "interrupted", "running")),
    *(("parked", to) for to in ("completed", "failed", "cancelled", "interrupted", "running")),
}


def a_task(status: TaskStatus) -> TaskRecord:
    return TaskRecord(
        task_id=new_id(),
        session_id=new_id(),
        engine="claude",
        status=status,
        working_dir="/w",
        request={},
        created_at="2026-01-02T03:04:05.678Z",
        generation=3,
    )


@pytest.mark.parametrize(("before", "after"), list(itertools.product(TaskStatus, TaskStatus)))
def test_a_move_is_legal_or_raises_by_name(before: TaskStatus, after: TaskStatus) -> None:
    record = a_task(before)
    if (before, after) in ALLOWED:
        assert moved(record, after).status is after
        return
    with pytest.raises(IllegalMove, match=f"is {before} and cannot become {after}"):
        moved(record, after)


def test_every_state_says_what_may_follow() -> None:
    assert set(MOVES) == set(TaskStatus)


@pytest.mark.parametrize("status", list(TaskStatus))
def test_a_state_is_an_end_if_and_only_if_nothing_follows(status: TaskStatus) -> None:
    assert status.ended is (not MOVES[status])
    assert status.ended is (status not in UNENDED)


def test_what_an_append_expects_holds_for_this_claim_only() -> None:
    record = a_task(TaskStatus.RUNNING)

    assert still(record).statuses == {TaskStatus.RUNNING}
    assert still(record).generation == 3
