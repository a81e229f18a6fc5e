"""A task that waits for a person keeps its place: those behind it in its session wait with it."""

import asyncio
from collections import defaultdict

from glasshouse.adapters.queue.local import LocalQueue
from glasshouse.contract.task import TaskStatus
from glasshouse.core.ports import TaskRecord


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
    """Tasks wait until they are answered; it says who was looked at."""

    def __init__(self) -> None:
        self.answered: set[str] = set()
        self.looks: list[str] = []
        self.looked_at: dict[str, asyncio.Event] = defaultdict(asyncio.Event)

    async def __call__(self, task_id: str) -> bool:
        self.looks.append(task_id)
        await asyncio.sleep(0)
        self.looked_at[task_id].set()
        return task_id in self.answered


async def test_the_line_waits_behind_it_and_goes_on_when_it_is_put_again() -> None:
    runner, queue = Runner(), LocalQueue()
    runner.answered.update("23")
    await queue.start(runner)
    for name in "123":
        await queue.put(a_task("s", name))
    await runner.looked_at["1"].wait()
    await asyncio.sleep(0)
    assert set(runner.looks) == {"1"}

    runner.answered.add("1")
    await queue.put(a_task("s", "1"))

    await runner.looked_at["3"].wait()
    await queue.stop()
    assert list(dict.fromkeys(runner.looks)) == ["1", "2", "3"]


async def test_put_again_while_it_is_at_work_it_is_looked_at_once_more() -> None:
    runner, queue = Runner(), LocalQueue()
    await queue.start(runner)
    await queue.put(a_task("s", "1"))
    await asyncio.sleep(0)
    assert runner.looks == ["1"]
    await queue.put(a_task("s", "1"))
    await queue.put(a_task("s", "1"))
    await runner.looked_at["1"].wait()
    await asyncio.sleep(0)
    await queue.stop()
    assert runner.looks == ["1", "1"]


async def test_another_session_does_not_wait() -> None:
    runner, queue = Runner(), LocalQueue()
    runner.answered.add("b")
    await queue.start(runner)
    await queue.put(a_task("s", "a"))
    await queue.put(a_task("t", "b"))
    await runner.looked_at["b"].wait()
    await queue.stop()
    assert sorted(runner.looks) == ["a", "b"]


async def test_what_waits_does_not_keep_a_server_from_stopping() -> None:
    runner, queue = Runner(), LocalQueue()
    await queue.start(runner)
    await queue.put(a_task("s", "1"))
    await runner.looked_at["1"].wait()
    async with asyncio.timeout(5):
        await queue.stop()
