"""What a start makes of what an earlier server left behind."""

from pathlib import Path

import pytest
from tests.support.bench import Bench, opened

from glasshouse.contract.task import TaskStatus
from glasshouse.core import streams
from glasshouse.core.ports import TaskRecord
from glasshouse.testing.memory_store import MemoryStore
from glasshouse.testing.scripted_engine import Gate, ScriptedEngine, Step, calls, gets, says, spends, waits_at


async def restarted(bench: Bench) -> int:
    """On the same log; what `recover` found interrupted."""
    await bench.store.close()
    await bench.store.open()
    return await bench.recover()


async def left_running(root: Path, store: MemoryStore, *script: Step) -> TaskRecord:
    """A task that a server was at when it went without a word."""
    gate = Gate()
    bench = Bench(root, ScriptedEngine(*script, waits_at(gate)), store=store)
    async with opened(bench):
        await bench.begin()
        task = await bench.admit("left")
        await gate.reached.wait()
    return task


async def test_what_was_running_is_interrupted_and_its_open_calls_are_unknown(tmp_path: Path) -> None:
    store = MemoryStore()
    script = (calls("Bash", "t1"), gets("t1", files_changed=["a"]), calls("Bash", "t2"), calls("Write", "t3"))
    task = await left_running(tmp_path, store, *script)
    async with opened(Bench(tmp_path, store=store)) as bench:
        assert await restarted(bench) == 1

        record = await bench.now(task)
        [complete] = await bench.ends(task)
    assert record.status is TaskStatus.INTERRUPTED
    metadata = complete["metadata"]
    assert metadata["status"] == "interrupted"
    assert metadata["is_error"] is True
    assert metadata["unknown"] == ["t2", "t3"]
    assert metadata["tools_used"] == ["Bash", "Write"]
    assert metadata["files_changed"] == ["a"]


# faults: I1
async def test_an_interrupted_task_still_says_what_it_had_cost(tmp_path: Path) -> None:
    store = MemoryStore()
    task = await left_running(tmp_path, store, spends(0.25), spends(0.5))
    async with opened(Bench(tmp_path, store=store)) as bench:
        await restarted(bench)

        [complete] = await bench.ends(task)
    assert complete["metadata"]["cost_usd"] == 0.5


async def test_a_long_task_is_read_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("glasshouse.core.work.PAGE", 3)
    store = MemoryStore()
    script = [step for n in range(10) for step in (calls("Bash", f"t{n}"), gets(f"t{n}"))]
    task = await left_running(tmp_path, store, *script, calls("Bash", "last"))
    async with opened(Bench(tmp_path, store=store)) as bench:
        await restarted(bench)

        [complete] = await bench.ends(task)
    assert complete["metadata"]["unknown"] == ["last"]
    assert streams.PAGE > 3


async def test_it_is_not_run_again_by_itself(tmp_path: Path) -> None:
    store = MemoryStore()
    task = await left_running(tmp_path, store, says("begun"))
    async with opened(Bench(tmp_path, store=store)) as bench:
        await restarted(bench)
        await bench.begin()
        await bench.do("another", resume=task.session_id)

        assert [told.prompt for told in bench.engine.told] == ["another"]


async def test_a_second_start_changes_nothing_more(tmp_path: Path) -> None:
    store = MemoryStore()
    task = await left_running(tmp_path, store)
    async with opened(Bench(tmp_path, store=store)) as bench:
        assert [await restarted(bench), await restarted(bench)] == [1, 0]

        assert len(await bench.ends(task)) == 1


async def test_queued_tasks_run_in_their_turn_whatever_end_the_one_before_had(tmp_path: Path) -> None:
    store = MemoryStore()
    first = await left_running(tmp_path, store)
    async with opened(Bench(tmp_path, store=store)) as earlier:
        waiting = [await earlier.admit(name, resume=first.session_id, queue=True) for name in ("b", "c", "d")]
    async with opened(Bench(tmp_path, store=store)) as bench:
        await restarted(bench)
        await bench.begin()
        for task in waiting:
            assert (await bench.ended(task)).status is TaskStatus.COMPLETED

        assert [told.prompt for told in bench.engine.told] == ["b", "c", "d"]


async def test_an_old_server_that_wakes_up_can_write_nothing_more(tmp_path: Path) -> None:
    store = MemoryStore()
    gate = Gate()
    old = Bench(tmp_path, ScriptedEngine(waits_at(gate), says("too late")), store=store)
    async with opened(old):
        await old.begin()
        task = await old.admit()
        await gate.reached.wait()
        await old.recover()

        gate.open()
        await old.queue.stop()

        assert [event["type"] for event in await old.events(task)] == ["info", "complete"]
        assert (await old.now(task)).status is TaskStatus.INTERRUPTED
