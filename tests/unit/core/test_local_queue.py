"""A line a session: in turn within it, side by side across them."""

import asyncio
from collections import defaultdict

import pytest

from glasshouse.adapters.queue.local import LocalQueue
from glasshouse.contract.task import TaskStatus
from glasshouse.core.ports import TaskRecord
from glasshouse.testing.scripted_engine import Gate


def a_task(session_id: str, task_id: str) -> TaskRecord:
    return TaskRecord(
        task_id=task_id,
        session_id=session_id,
        engine="claude",
        status=TaskStatus.QUEUED,
        working_dir="/w",
        request={},
        created_at="",
    )


class Runner:
    def __init__(self) -> None:
        self.gates: dict[str, Gate] = defaultdict(Gate)
        self.begun: list[str] = []
        self.faults: dict[str, Exception] = {}

    async def __call__(self, task_id: str) -> bool:
        self.begun.append(task_id)
        await self.gates[task_id].passed()
        if task_id in self.faults:
            raise self.faults[task_id]
        return True


@pytest.fixture
def runner() -> Runner:
    return Runner()


async def test_nothing_runs_before_the_start_and_all_of_it_then(runner: Runner) -> None:
    queue = LocalQueue()
    await queue.put(a_task("s", "1"))
    await asyncio.sleep(0)
    assert runner.begun == []

    await queue.start(runner)
    await runner.gates["1"].reached.wait()

    runner.gates["1"].open()
    await queue.stop()


async def test_tasks_of_a_session_run_one_after_another_in_their_order(runner: Runner) -> None:
    queue = LocalQueue()
    await queue.start(runner)
    for name in "123":
        await queue.put(a_task("s", name))

    for name in "123":
        await runner.gates[name].reached.wait()
        assert runner.begun[-1] == name
        runner.gates[name].open()

    await queue.stop()
    assert runner.begun == ["1", "2", "3"]


async def test_sessions_do_not_wait_for_each_other(runner: Runner) -> None:
    queue = LocalQueue()
    await queue.start(runner)
    for session in "ab":
        await queue.put(a_task(session, session))

    await asyncio.gather(*(runner.gates[session].reached.wait() for session in "ab"))

    for session in "ab":
        runner.gates[session].open()
    await queue.stop()


async def test_one_tasks_trouble_does_not_hold_up_the_next(runner: Runner) -> None:
    queue = LocalQueue()
    await queue.start(runner)
    runner.faults["1"] = RuntimeError("broken")
    for name in "12":
        await queue.put(a_task("s", name))
    runner.gates["1"].open()

    await runner.gates["2"].reached.wait()

    runner.gates["2"].open()
    await queue.stop()


async def test_stop_waits_for_what_runs_and_begins_no_more(runner: Runner) -> None:
    queue = LocalQueue()
    await queue.start(runner)
    for name in "12":
        await queue.put(a_task("s", name))
    await runner.gates["1"].reached.wait()

    stopping = asyncio.create_task(queue.stop())
    await asyncio.sleep(0)
    assert not stopping.done()
    runner.gates["1"].open()
    await stopping
    await queue.put(a_task("t", "3"))
    await asyncio.sleep(0)

    assert runner.begun == ["1"]


async def test_a_session_that_is_done_leaves_nothing_behind(runner: Runner) -> None:
    queue = LocalQueue()
    await queue.start(runner)
    await queue.put(a_task("s", "1"))
    worker = queue._workers["s"]
    runner.gates["1"].open()
    await worker

    assert (queue._workers, queue._lines) == ({}, {})
