"""A server dies while a person is waited for: nothing is lost, and what was answered is brought to the agent.

The server that died is one whose engine never moves again; what it wakes up to do is refused.
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from tests.support.bench import Bench
from tests.support.questions import asking, choice

from glasshouse.contract.question import QuestionState
from glasshouse.contract.task import TaskStatus
from glasshouse.core.ports import Outcome, Run, TaskRecord
from glasshouse.testing.memory_store import MemoryStore
from glasshouse.testing.scripted_engine import Gate, Step, asks_and_leaves

ASKING = asking("call", choice("q"))


class Servers:
    """One after another on the same log."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.store = MemoryStore()
        self.stack = AsyncExitStack()

    async def next(self, *script: Step) -> Bench:
        bench = Bench(self.root, store=self.store)
        bench.engine.script = script
        self.interrupted = await bench.recover()
        await bench.begin()

        async def end() -> None:
            bench.execution.shut_down()
            await bench.queue.stop()

        self.stack.push_async_callback(end)
        return bench


@pytest.fixture
async def servers(tmp_path: Path) -> AsyncIterator[Servers]:
    servers = Servers(tmp_path)
    await servers.store.open()
    yield servers
    await servers.stack.aclose()
    await servers.store.close()


def dies_at(gate: Gate, point: str) -> Step:
    """An engine that waits hot, and whose server dies at the named point."""

    async def step(run: Run) -> Outcome | None:
        if point == "before it is recorded":
            await gate.passed()
        await run.ask(ASKING)
        if point == "asked":
            await gate.passed()
        await run.settled("call")
        if point == "answered":
            await gate.passed()
        await run.told("call", "hot")
        await gate.passed()
        return None

    return step


async def task_at(servers: Servers, gate: Gate, point: str) -> tuple[Bench, TaskRecord]:
    before = await servers.next(dies_at(gate, point))
    task = await before.admit()
    if point not in ("before it is recorded", "asked"):
        await before.answer(await before.waits(task), "b")
    await gate.reached.wait()
    return before, task


async def test_a_question_that_waits_is_still_answered(servers: Servers) -> None:
    # faults: D6 I2
    gate = Gate()
    before, task = await task_at(servers, gate, "asked")
    after = await servers.next(asks_and_leaves(ASKING))

    await after.answer(await after.waits(task), "a")

    ended = await after.ended(task)
    assert (ended.status, ended.generation, servers.interrupted) == (TaskStatus.COMPLETED, 2, 0)
    assert [told.continued for told in after.engine.told] == [True]
    gate.open()
    await before.execution.wait_end(task.task_id)
    assert len(await after.ends(task)) == 1


async def test_an_answer_that_the_agent_may_not_have_heard_is_brought_to_it(servers: Servers) -> None:
    # faults: I2
    gate = Gate()
    _, task = await task_at(servers, gate, "answered")
    assert (await servers.store.task(task.task_id) or task).status is TaskStatus.RUNNING

    after = await servers.next(asks_and_leaves(ASKING))

    assert (await after.ended(task)).status is TaskStatus.COMPLETED
    record = await servers.store.question(task.session_id, "q")
    assert record is not None
    assert (record.answer, record.way) == ("b", "cold")
    gate.open()


@pytest.mark.parametrize("point", ["before it is recorded", "told"])
async def test_a_task_that_is_owed_nothing_is_interrupted(servers: Servers, point: str) -> None:
    gate = Gate()
    _, task = await task_at(servers, gate, point)

    after = await servers.next()

    assert (await after.ended(task)).status is TaskStatus.INTERRUPTED
    assert servers.interrupted == 1
    assert not after.engine.told
    gate.open()


async def test_an_answer_before_the_engine_has_left_is_not_missed(servers: Servers) -> None:
    gate = Gate()

    async def leaves_late(run: Run) -> Outcome | None:
        call = await run.ask(ASKING)
        if call.is_settled:
            return None
        await gate.passed()
        return Outcome(message="", waiting=True)

    server = await servers.next(leaves_late)
    task = await server.admit()
    question = await server.waits(task)
    await gate.reached.wait()
    await server.answer(question, "a")
    gate.open()
    assert (await server.ended(task)).status is TaskStatus.COMPLETED
    assert [told.continued for told in server.engine.told] == [False, True]


async def test_open_calls_are_those_whose_answers_are_not_told(servers: Servers) -> None:
    seen: list[list[str]] = []

    async def looks(run: Run) -> None:
        seen.append([call.call_id for call in await run.open_calls()])

    async def asks_without_telling(run: Run) -> Outcome | None:
        call = await run.ask(ASKING)
        return None if call.is_settled else Outcome(message="", waiting=True)

    async def tells(run: Run) -> None:
        await run.told("call", "message")
        await run.told("call", "again")

    server = await servers.next(looks, asks_without_telling, looks, tells, looks)
    task = await server.admit()
    await server.answer(await server.waits(task), "a")
    await server.ended(task)
    assert seen == [[], ["call"], []]
    record = await servers.store.question(task.session_id, "q")
    assert record is not None
    assert (record.state, record.way) == (QuestionState.ANSWERED, "message")
