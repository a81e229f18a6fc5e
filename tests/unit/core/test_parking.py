"""Tasks that a limit stops: failed, or parked until it lifts or a person has them go on; over restarts too."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.support.bench import Bench, opened

from glasshouse.contract.errors import SessionBusy, TaskNotFound
from glasshouse.contract.ids import new_id
from glasshouse.contract.task import Limit, Parked, TaskStatus
from glasshouse.core.ports import LimitHit, Outcome, TaskRecord
from glasshouse.testing.memory_store import MemoryStore
from glasshouse.testing.scripted_engine import ScriptedEngine, is_limited, says, spends

NOW = datetime(2026, 1, 2, 3, 4, 5, 678_000, tzinfo=UTC)
LATER = NOW + timedelta(hours=2)


async def test_without_being_asked_for_it_fails_and_says_when_it_lifts(running: Bench) -> None:
    running.engine.script = (is_limited(lifts_at=LATER),)

    task = await running.do()

    *_, error, complete = await running.events(task)
    assert error["metadata"] == {"error": "usage_limit", "detail": None, "lifts_at": "2026-01-02T05:04:05.678Z"}
    assert complete["metadata"]["status"] == "failed"


async def test_a_parked_task_says_until_when_and_why(running: Bench) -> None:
    running.engine.script = (is_limited(lifts_at=LATER),)
    task = await running.parked(await running.admit(on_limit="resume"))

    state = await running.execution.state(task)

    assert state.status is TaskStatus.PARKED
    assert state.parked == Parked(
        until="2026-01-02T05:04:05.678Z",
        reason=Limit.USAGE,
        since="2026-01-02T03:04:05.678Z",
        resumes=True,
        attempt=1,
    )
    *_, notice = await running.events(task)
    assert notice["content"] == (
        "The usage limit is reached: the task is parked and goes on by itself at 2026-01-02 05:04 UTC"
    )
    assert notice["metadata"]["notice"] == "parked"


async def test_it_goes_on_by_itself_when_the_limit_lifts_and_not_before(running: Bench) -> None:
    running.engine.script = (is_limited(lifts_at=LATER), says("here again"))
    task = await running.parked(await running.admit(on_limit="resume"))

    running.clock.wall = LATER - timedelta(seconds=1)
    await running.execution.parking.take_up_due()
    assert (await running.now(task)).status is TaskStatus.PARKED

    running.clock.wall = LATER
    await running.execution.parking.take_up_due()
    ended = await running.ended(task)

    assert ended.status is TaskStatus.COMPLETED
    assert running.engine.told[1].continued
    types = [event["type"] for event in await running.events(task)]
    assert types == ["info", "info", "info", "text", "complete"]
    assert (await running.execution.state(ended)).parked is None


# faults: I1 I7
async def test_it_goes_on_after_a_restart_too(tmp_path: Path) -> None:
    store = MemoryStore()
    async with opened(Bench(tmp_path, ScriptedEngine(is_limited(lifts_at=LATER)), store=store)) as bench:
        await bench.begin()
        task = await bench.parked(await bench.admit(on_limit="resume"))
    async with opened(Bench(tmp_path, store=store)) as bench:
        assert await bench.recover() == 0
        await bench.begin()
        assert (await bench.now(task)).status is TaskStatus.PARKED

        bench.clock.wall = LATER
        await bench.execution.parking.take_up_due()
        assert (await bench.ended(task)).status is TaskStatus.COMPLETED


@pytest.mark.parametrize("kind", list(Limit))
async def test_one_that_parks_waits_for_a_person_whatever_the_clock_says(running: Bench, kind: Limit) -> None:
    running.engine.script = (is_limited(kind, lifts_at=LATER), says("here again"))
    task = await running.parked(await running.admit(on_limit="park"))
    running.clock.wall = LATER + timedelta(days=9)
    await running.execution.parking.take_up_due()
    record = await running.now(task)
    assert (record.status, record.parked and record.parked.reason) == (TaskStatus.PARKED, kind)

    await running.execution.parking.go_on(task.task_id)

    assert (await running.ended(task)).status is TaskStatus.COMPLETED


async def test_to_go_on_is_harmless_for_what_is_not_parked(running: Bench) -> None:
    task = await running.do()

    assert await running.execution.parking.go_on(task.task_id) == task
    with pytest.raises(TaskNotFound):
        await running.execution.parking.go_on(new_id())


async def test_a_person_who_is_too_early_finds_it_parked_again(running: Bench) -> None:
    running.engine.script = (is_limited(times=2), says("here again"))
    task = await running.parked(await running.admit(on_limit="park"))
    await running.execution.parking.go_on(task.task_id)
    changes = running.store.subscribe_tasks()
    while (record := await running.parked(task)).parked is None or record.parked.attempt < 2:
        await changes.next()

    assert record.parked == Parked(
        until=None, reason=Limit.USAGE, since="2026-01-02T03:04:05.678Z", resumes=False, attempt=2
    )


async def test_a_parked_task_can_be_stopped_and_its_line_goes_on(running: Bench) -> None:
    running.engine.plays("first", is_limited())
    task = await running.parked(await running.admit("first", on_limit="resume"))
    with pytest.raises(SessionBusy):
        await running.admit("second", resume=task.session_id)
    behind = await running.admit("second", resume=task.session_id, queue=True)

    await running.execution.stop(task.task_id)

    assert (await running.now(task)).status is TaskStatus.CANCELLED
    assert (await running.ended(behind)).status is TaskStatus.COMPLETED
    assert len(await running.ends(task)) == 1


async def test_where_nobody_knows_the_wait_grows_up_to_an_hour(bench: Bench) -> None:
    task = await bench.admit(on_limit="resume")
    waits = []
    for attempt in range(1, 10):
        before = None
        if attempt > 1:
            before = Parked(until=None, reason=Limit.USAGE, since="", resumes=True, attempt=attempt - 1)
        waits.append(waited(bench, task, before))
    assert waits == [60, 120, 240, 480, 960, 1920, 3600, 3600, 3600]


async def test_where_the_model_answered_meanwhile_it_begins_with_a_minute_again(running: Bench) -> None:
    running.engine.script = (is_limited(), spends(0.5), is_limited())
    task = await running.parked(await running.admit(on_limit="resume"))
    assert task.parked is not None
    before = task.parked.model_copy(update={"attempt": 5})
    assert waited(running, task, before, cost_usd=0.5) == 60


async def test_one_that_did_not_lift_when_it_should_have_is_tried_again_in_a_while(bench: Bench) -> None:
    task = await bench.admit(on_limit="resume")
    assert waited(bench, task, None, lifts_at=NOW - timedelta(hours=1)) == 60
    tried = Parked(until=None, reason=Limit.USAGE, since="", resumes=True, attempt=1)
    assert waited(bench, task, tried, lifts_at=NOW + timedelta(seconds=1)) == 120


def waited(
    bench: Bench,
    task: TaskRecord,
    before: Parked | None,
    *,
    lifts_at: datetime | None = None,
    cost_usd: float | None = None,
) -> float:
    """Seconds until it is tried again."""
    record = TaskRecord(
        task.task_id, task.session_id, "claude", TaskStatus.RUNNING, "/", task.request, "", parked=before
    )
    hit = LimitHit(Limit.USAGE, lifts_at)
    step = bench.execution.parking.step(record, hit, Outcome("", limit=hit, cost_usd=cost_usd), 0, None)
    assert step.task is not None and step.task.parked is not None and step.task.parked.until is not None
    return round((datetime.fromisoformat(step.task.parked.until) - bench.clock.now()).total_seconds())
