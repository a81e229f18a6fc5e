"""From the claim to the one end: how tasks end, and that each ends once."""

import asyncio
from pathlib import Path

import pytest
from tests.support.bench import Bench, opened

from glasshouse.contract.question import Question
from glasshouse.contract.task import Failure, TaskStatus
from glasshouse.core import execution
from glasshouse.core.ports import Append, Asking, Outcome, Run, StoreUnavailable
from glasshouse.testing.memory_store import MemoryStore
from glasshouse.testing.scripted_engine import (
    Gate,
    ScriptedEngine,
    Step,
    asks_and_leaves,
    breaks,
    calls,
    deaf_at,
    ends,
    fails,
    gets,
    says,
    spends,
    waits_at,
)


class TestHowATaskEnds:
    async def test_a_success_says_what_it_cost_and_used(self, running: Bench) -> None:
        running.engine.script = (
            calls("Write", "t1"),
            gets("t1", files_changed=["a.py", "b.py"]),
            calls("Write", "t2"),
            gets("t2", files_changed=["b.py"]),
            calls("Bash", "t3"),
            gets("t3"),
            says("all done"),
            ends(Outcome(message="all done", cost_usd=0.5, num_turns=3)),
        )

        task = await running.do()

        assert task.status is TaskStatus.COMPLETED
        [complete] = await running.ends(task)
        metadata = complete["metadata"]
        assert metadata["status"] == "completed"
        assert metadata["is_error"] is False
        assert metadata["tools_used"] == ["Write", "Bash"]
        assert metadata["files_changed"] == ["a.py", "b.py"]
        assert (metadata["cost_usd"], metadata["num_turns"], metadata["unknown"]) == (0.5, 3, [])
        assert task.result is not None
        assert task.result.success
        assert task.result.message == "all done"

    @pytest.mark.parametrize("failure", list(Failure))
    async def test_a_failure_is_an_error_event_before_the_end(self, running: Bench, failure: Failure) -> None:
        running.engine.script = (fails(failure, "it broke"),)

        task = await running.do()

        *_, error, complete = await running.events(task)
        assert error["type"] == "error"
        assert error["metadata"] == {"error": failure.value, "detail": None}
        assert error["content"] == "it broke"
        assert complete["metadata"]["status"] == "failed"
        assert complete["metadata"]["is_error"] is True
        assert task.result is not None
        assert task.result.error is failure

    async def test_a_failure_without_words_gets_some(self, running: Bench) -> None:
        running.engine.script = (fails(Failure.USAGE_LIMIT),)

        *_, error, _ = await running.events(await running.do())

        assert error["content"] == "The usage limit is reached"

    async def test_an_engine_that_raises_ends_its_task_and_tells_nothing_of_the_inside(self, running: Bench) -> None:
        running.engine.script = (breaks(RuntimeError("secret inside")),)

        task = await running.do()

        *_, error, complete = await running.events(task)
        assert error["metadata"]["error"] == "engine_failed"
        assert "secret inside" not in str(error)
        assert complete["metadata"]["status"] == "failed"

    async def test_a_task_that_broke_still_says_what_it_had_cost(self, running: Bench) -> None:
        running.engine.script = (spends(0.25), breaks(RuntimeError("x")))

        task = await running.do()

        assert task.result is not None and task.result.cost_usd == 0.25

    async def test_what_a_task_has_cost_is_told_while_it_runs(self, running: Bench) -> None:
        gate = Gate()
        running.engine.script = (spends(0.25), waits_at(gate))
        task = await running.admit(max_budget_usd=1)
        await gate.reached.wait()

        state = await running.execution.state(await running.now(task))

        assert (state.status, state.cost_usd) == (TaskStatus.RUNNING, 0.25)
        assert running.engine.told[0].max_budget_usd == 1

    async def test_what_it_cost_before_it_waited_is_told_to_its_engine(self, running: Bench) -> None:
        asking = Asking("c", [Question.model_validate({"question_id": "q", "question_text": "?", "type": "text"})])
        running.engine.script = (spends(0.25), asks_and_leaves(asking))
        task = await running.admit()
        await running.answer(await running.waits(task), "x")
        await running.ended(task)

        assert running.engine.told[1].figures.cost_usd == 0.25

    async def test_the_next_task_works_after_one_that_broke(self, running: Bench) -> None:
        running.engine.plays("bad", breaks(RuntimeError("x")))
        bad = await running.admit("bad")
        good = await running.admit("good", resume=bad.session_id, queue=True)

        assert (await running.ended(good)).status is TaskStatus.COMPLETED

    async def test_what_an_engine_wants_to_know_again_reaches_its_next_task(self, running: Bench) -> None:
        running.engine.plays("first", ends(Outcome(message="", engine_state={"cost": 7})))
        first = await running.do("first")

        await running.do("second", resume=first.session_id)

        assert running.engine.told[1].engine_state == {"cost": 7}

    async def test_an_engine_that_has_nothing_new_to_remember_forgets_nothing(self, running: Bench) -> None:
        running.engine.plays("first", ends(Outcome(message="", engine_state={"cost": 7})))
        first = await running.do("first")

        for prompt in ("second", "third"):
            await running.do(prompt, resume=first.session_id)

        assert running.engine.told[2].engine_state == {"cost": 7}

    async def test_times_and_duration_are_those_of_the_clock(self, bench: Bench) -> None:
        gate = Gate()
        bench.engine.script = (waits_at(gate),)
        task = await bench.admit()
        bench.clock.pass_by(10)
        await bench.begin()
        await gate.reached.wait()
        bench.clock.pass_by(2.5)
        gate.open()

        ended = await bench.ended(task)

        assert ended.created_at == "2026-01-02T03:04:05.678Z"
        assert ended.started_at == "2026-01-02T03:04:15.678Z"
        assert ended.ended_at == "2026-01-02T03:04:18.178Z"
        assert ended.result is not None
        assert ended.result.duration_ms == 2500

    # faults: I7
    async def test_a_wall_clock_that_jumps_back_a_day_changes_no_duration(self, running: Bench) -> None:
        gate = Gate()
        running.engine.script = (waits_at(gate),)
        task = await running.admit()
        await gate.reached.wait()
        running.clock.pass_by(1)
        running.clock.wall = running.clock.wall.replace(year=2038, month=1, day=20)
        gate.open()

        ended = await running.ended(task)

        assert ended.result is not None
        assert ended.result.duration_ms == 1000


def takes_a_second(bench: Bench) -> Step:
    async def step(run: Run) -> None:
        bench.clock.pass_by(1)

    return step


class TestTimeout:
    async def test_the_tasks_own_ends_it_as_failed(self, running: Bench) -> None:
        running.engine.script = (says("begun"), takes_a_second(running), waits_at(Gate()))

        task = await running.do(timeout_s=0.02)

        *_, error, complete = await running.events(task)
        assert error["metadata"]["error"] == "task_timeout"
        assert "0.02" in error["content"]
        assert complete["metadata"]["status"] == "failed"

    async def test_the_operators_is_the_default(self, tmp_path: Path) -> None:
        async with opened(Bench(tmp_path, timeout_s=0.02)) as bench:
            bench.engine.script = (takes_a_second(bench), waits_at(Gate()))
            await bench.begin()

            task = await bench.do()

        assert task.result is not None
        assert task.result.error is Failure.TASK_TIMEOUT

    async def test_the_operators_is_the_upper_bound(self, tmp_path: Path) -> None:
        async with opened(Bench(tmp_path, timeout_s=0.02)) as bench:
            bench.engine.script = (takes_a_second(bench), waits_at(Gate()))
            await bench.begin()

            task = await bench.do(timeout_s=1000)

        assert task.result is not None
        assert task.result.message == "The task took longer than its 0.02 s"

    async def test_a_task_that_is_done_in_time_is_a_success(self, running: Bench) -> None:
        assert (await running.do(timeout_s=60)).status is TaskStatus.COMPLETED

    async def test_a_result_that_came_in_the_very_moment_counts(self, running: Bench) -> None:
        gate = Gate()
        running.engine.script = (deaf_at(gate),)
        task = await running.admit(timeout_s=0.01)
        await gate.reached.wait()
        running.clock.pass_by(1)
        await running.execution._live[task.task_id].stop.wait()
        gate.open()

        assert (await running.ended(task)).status is TaskStatus.COMPLETED


class UnwritableStore(MemoryStore):
    """A disk that is full for the next so many writes of a kind, and then is not."""

    def __init__(self) -> None:
        super().__init__()
        self.refuses_ends = 0
        self.refuses_claims = 0
        self.refused = asyncio.Event()

    async def append(self, step: Append) -> int:
        if step.task is not None and step.task.status.ended and self.refuses_ends > 0:
            self.refuses_ends -= 1
            self.refused.set()
            raise StoreUnavailable("disk full")
        if step.task is not None and step.task.status is TaskStatus.RUNNING and self.refuses_claims > 0:
            self.refuses_claims -= 1
            self.refused.set()
            raise StoreUnavailable("disk full")
        return await super().append(step)


# faults: I5
class TestAStoreThatCannotWrite:
    @pytest.fixture(autouse=True)
    def _impatient(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(execution, "_RETRY_S", 0.001)

    async def test_the_end_is_written_when_it_can_be(self, tmp_path: Path) -> None:
        store = UnwritableStore()
        async with opened(Bench(tmp_path, store=store)) as bench:
            await bench.begin()
            store.refuses_ends = 3

            task = await bench.do()

            assert store.refuses_ends == 0
            assert len(await bench.ends(task)) == 1

    async def test_a_task_that_could_not_be_claimed_is_claimed_when_it_can_be(self, tmp_path: Path) -> None:
        store = UnwritableStore()
        async with opened(Bench(tmp_path, store=store)) as bench:
            await bench.begin()
            store.refuses_claims = 3

            task = await bench.do()

            assert task.status is TaskStatus.COMPLETED
            assert len(bench.engine.told) == 1

    async def test_one_that_is_stopped_meanwhile_never_begins(self, tmp_path: Path) -> None:
        store = UnwritableStore()
        async with opened(Bench(tmp_path, store=store)) as bench:
            await bench.begin()
            store.refuses_claims = 1_000_000
            task = await bench.admit()
            await store.refused.wait()

            stopping = asyncio.create_task(bench.execution.stop(task.task_id))
            await bench.execution._live[task.task_id].stop.wait()
            store.refuses_claims = 0
            await stopping

            assert (await bench.now(task)).status is TaskStatus.CANCELLED
            assert bench.engine.told == []

    async def test_an_engine_whose_event_cannot_be_written_still_comes_to_its_end(self, tmp_path: Path) -> None:
        async with opened(Bench(tmp_path, ScriptedEngine(breaks(StoreUnavailable("disk full"))))) as bench:
            await bench.begin()

            assert (await bench.do()).status is TaskStatus.FAILED

    async def test_a_server_that_goes_does_not_wait_for_the_disk(self, tmp_path: Path) -> None:
        store = UnwritableStore()
        async with opened(Bench(tmp_path, store=store)) as bench:
            await bench.begin()
            store.refuses_ends = 1_000_000
            task = await bench.admit()
            await store.refused.wait()

            bench.execution.shut_down()
            await bench.queue.stop()

            assert (await bench.now(task)).status is TaskStatus.RUNNING


class TestStalled:
    async def test_a_minute_of_silence_shows(self, running: Bench) -> None:
        gate = Gate()
        running.engine.script = (says("hm"), waits_at(gate))
        task = await running.admit()
        await gate.reached.wait()

        running.clock.pass_by(59.9)
        assert (await running.execution.state(await running.now(task))).stalled is None
        running.clock.pass_by(0.1)
        assert (await running.execution.state(await running.now(task))).stalled == {"since": "2026-01-02T03:04:05.678Z"}

    async def test_a_tool_at_work_is_no_silence(self, running: Bench) -> None:
        gate = Gate()
        running.engine.script = (calls("Bash", "t1"), waits_at(gate))
        task = await running.admit()
        await gate.reached.wait()
        running.clock.pass_by(3600)

        assert (await running.execution.state(await running.now(task))).stalled is None

    async def test_any_sign_of_life_ends_it(self, running: Bench) -> None:
        first, second = Gate(), Gate()
        running.engine.script = (waits_at(first), says("here I am"), waits_at(second))
        task = await running.admit()
        await first.reached.wait()
        running.clock.pass_by(100)
        first.open()
        await second.reached.wait()

        assert (await running.execution.state(await running.now(task))).stalled is None


class TestShutdown:
    # faults: J1
    async def test_what_ran_is_stopped_and_gets_no_end(self, running: Bench) -> None:
        gate = Gate()
        running.engine.script = (says("begun"), waits_at(gate))
        task = await running.admit()
        await gate.reached.wait()

        running.execution.shut_down()
        await running.queue.stop()

        assert (await running.now(task)).status is TaskStatus.RUNNING
        assert await running.ends(task) == []

    async def test_what_ends_by_itself_in_that_moment_has_its_end(self, running: Bench) -> None:
        gate = Gate()
        running.engine.script = (deaf_at(gate),)
        task = await running.admit()
        await gate.reached.wait()

        running.execution.shut_down()
        gate.open()
        await running.queue.stop()

        assert (await running.now(task)).status is TaskStatus.COMPLETED

    async def test_what_is_queued_stays_queued(self, running: Bench) -> None:
        gate = Gate()
        running.engine.script = (waits_at(gate),)
        first = await running.admit()
        second = await running.admit(resume=first.session_id, queue=True)
        await gate.reached.wait()

        running.execution.shut_down()
        await running.queue.stop()

        assert (await running.now(second)).status is TaskStatus.QUEUED
        assert len(running.engine.told) == 1

    async def test_a_person_who_stopped_first_has_stopped_it(self, running: Bench) -> None:
        gate = Gate()
        running.engine.script = (deaf_at(gate), ends(Outcome(message="", stopped=True)))
        task = await running.admit()
        await gate.reached.wait()

        stopping = asyncio.create_task(running.execution.stop(task.task_id))
        await running.execution._live[task.task_id].stop.wait()
        running.execution.shut_down()
        gate.open()
        await stopping

        assert (await running.now(task)).status is TaskStatus.CANCELLED
