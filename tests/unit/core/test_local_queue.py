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


async def test_thousands_that_only_wait_are_looked_at_a_few_at_a_time_and_all_of_them() -> None:
    looked, at_once, most = 0, 0, 0

    async def waits(task_id: str) -> bool:
        nonlocal looked, at_once, most
        looked, at_once = looked + 1, at_once + 1
        most = max(most, at_once)
        await asyncio.sleep(0)
        at_once -= 1
        return False

    queue = LocalQueue()
    for number in range(2000):
        await queue.put(a_task(str(number), str(number)))
    await queue.start(waits)
    async with asyncio.timeout(10):
        while looked < 2000:  # noqa: ASYNC110
            await asyncio.sleep(0)

    assert most <= 50
    await queue.stop()


async def test_at_a_start_what_works_on_holds_up_no_other_session(runner: Runner) -> None:
    names = [str(number) for number in range(100)]
    queue = LocalQueue()
    for name in names:
        await queue.put(a_task(name, name))
    await queue.start(runner)

    async with asyncio.timeout(10):
        await asyncio.gather(*(runner.gates[name].reached.wait() for name in names))

    for name in names:
        runner.gates[name].open()
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
