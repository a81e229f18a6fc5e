"""A task is stopped once, at whatever moment: it reaches exactly one end, and nothing of it runs when stop returns."""

import asyncio
import random
from pathlib import Path

import pytest
from tests.support.bench import Bench, opened

from glasshouse.contract.task import TaskStatus
from glasshouse.core.ports import Append
from glasshouse.testing.memory_store import MemoryStore
from glasshouse.testing.scripted_engine import Gate, deaf_at, says, waits_at


async def test_a_queued_task_never_begins(bench: Bench) -> None:
    task = await bench.admit()

    await bench.execution.stop(task.task_id)
    await bench.begin()
    await bench.do("another")

    assert (await bench.now(task)).status is TaskStatus.CANCELLED
    assert [told.prompt for told in bench.engine.told] == ["another"]
    [complete] = await bench.ends(task)
    assert complete["metadata"]["status"] == "cancelled"
    assert complete["metadata"]["is_error"] is True


async def test_one_that_waits_behind_another_ends_before_it(running: Bench) -> None:
    gate = Gate()
    running.engine.script = (waits_at(gate),)
    first = await running.admit()
    second = await running.admit(resume=first.session_id, queue=True)
    await gate.reached.wait()

    await running.execution.stop(second.task_id)

    assert (await running.now(second)).status is TaskStatus.CANCELLED
    assert (await running.now(first)).status is TaskStatus.RUNNING


async def test_a_running_task_is_over_when_stop_returns(running: Bench) -> None:
    gate = Gate()
    running.engine.script = (says("begun"), waits_at(gate))
    task = await running.admit()
    await gate.reached.wait()

    await running.execution.stop(task.task_id)

    assert (await running.now(task)).status is TaskStatus.CANCELLED
    assert [event["type"] for event in await running.events(task)] == ["info", "text", "complete"]


async def test_stop_waits_for_an_engine_that_takes_its_time(running: Bench) -> None:
    gate = Gate()
    running.engine.script = (deaf_at(gate), waits_at(Gate()))
    task = await running.admit()
    await gate.reached.wait()

    stopping = asyncio.create_task(running.execution.stop(task.task_id))
    await running.execution._live[task.task_id].stop.wait()
    assert not stopping.done()
    gate.open()
    await stopping

    assert (await running.now(task)).status is TaskStatus.CANCELLED


async def test_an_ended_task_stays_as_it_is(running: Bench) -> None:
    task = await running.do()

    await running.execution.stop(task.task_id)

    assert (await running.now(task)) == task


async def test_twenty_at_once_stop_it_once(running: Bench) -> None:
    gate = Gate()
    running.engine.script = (waits_at(gate),)
    task = await running.admit()
    await gate.reached.wait()

    await asyncio.gather(*(running.execution.stop(task.task_id) for _ in range(20)))

    assert len(await running.ends(task)) == 1


async def test_a_task_that_nobody_knows_needs_no_stopping(bench: Bench) -> None:
    await bench.execution.stop("00000000-0000-4000-8000-000000000000")


class SlowToClaim(MemoryStore):
    """Holds a claim at the door until it is let through."""

    def __init__(self) -> None:
        super().__init__()
        self.claiming = Gate()

    async def append(self, step: Append) -> int:
        if step.task is not None and step.task.status is TaskStatus.RUNNING:
            await self.claiming.passed()
        return await super().append(step)


async def test_one_that_is_being_claimed_is_stopped_before_its_engine_is_asked(tmp_path: Path) -> None:
    store = SlowToClaim()
    async with opened(Bench(tmp_path, store=store)) as bench:
        await bench.begin()
        task = await bench.admit()
        await store.claiming.reached.wait()

        stopping = asyncio.create_task(bench.execution.stop(task.task_id))
        await bench.execution._live[task.task_id].stop.wait()
        store.claiming.open()
        await stopping

        assert (await bench.now(task)).status is TaskStatus.CANCELLED
        assert bench.engine.told == []


# faults: F7
@pytest.mark.parametrize("seed", range(4))
async def test_stop_that_races_the_end_gives_exactly_one_end(running: Bench, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(250):
        gate = Gate()
        running.engine.script = (says("working"), waits_at(gate))
        task = await running.admit()
        moments = [gate.open, None]
        chance.shuffle(moments)
        for _ in range(chance.randrange(6)):
            await asyncio.sleep(0)
        stopping = None
        for moment in moments:
            if moment is None:
                stopping = asyncio.create_task(running.execution.stop(task.task_id))
            else:
                moment()
            for _ in range(chance.randrange(4)):
                await asyncio.sleep(0)
        assert stopping is not None
        await stopping
        ended = await running.ended(task)

        [complete] = await running.ends(task)
        assert complete["metadata"]["status"] == ended.status
        assert (await running.events(task))[-1]["type"] == "complete"
