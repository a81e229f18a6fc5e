"""The desk as a state machine: whatever is done in whatever order, each question has one end and none is lost."""

import asyncio
import tempfile
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tests.support.bench import PATIENCE_S, Bench
from tests.support.questions import OPENING, asking, choice, text

from glasshouse.contract import errors
from glasshouse.contract.question import QuestionState
from glasshouse.contract.task import TaskStatus
from glasshouse.core.ports import Outcome, QuestionRecord, Run, TaskRecord
from glasshouse.testing.memory_store import MemoryStore
from glasshouse.testing.scripted_engine import WAITING

PENDING = QuestionState.PENDING
TIMEOUT_S = 60.0
FORMS: dict[str, list[dict[str, Any]]] = {
    "opening": [OPENING],
    "group": [choice("one", default="a"), text("two"), OPENING],
    "optional": [text("one", required=False), choice("two", default="b")],
}
ANSWERS = st.sampled_from(["a", "b", "c", "", None])


class AsksAndLeaves:
    """An engine that asks one call after another, leaves for each, and comes back only with all of its answers."""

    def __init__(self, forms: list[str]) -> None:
        self.forms = forms
        self.heard: list[str] = []

    async def __call__(self, run: Run) -> Outcome | None:
        for place, form in enumerate(self.forms):
            call_id = f"{run.task.task_id}.{place}"
            questions = [_renamed(question, f"{call_id}.") for question in FORMS[form]]
            call = await run.ask(asking(call_id, *questions))
            if not call.is_settled:
                return WAITING
            if call_id not in self.heard:
                self.heard.append(call_id)
                await run.told(call_id, "cold")
        return None


def _renamed(question: dict[str, Any], prefix: str) -> dict[str, Any]:
    follow_ups = {
        option: [_renamed(each, prefix) for each in questions]
        for option, questions in question.get("follow_up_questions", {}).items()
    }
    return {**question, "question_id": prefix + question["question_id"], "follow_up_questions": follow_ups}


class DeskStates(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.root = tempfile.TemporaryDirectory()
        self.store = MemoryStore()
        self.tasks: list[TaskRecord] = []
        self.settled: dict[tuple[str, str], QuestionRecord] = {}
        self.timed_out: set[str] = set()
        self.stopped: set[str] = set()
        self.bench = self._server()

    def _server(self) -> Bench:
        bench = Bench(Path(self.root.name), store=self.store, question_timeout_s=TIMEOUT_S, question_limit=100)
        bench.engine.script = (self._engine,)
        return bench

    async def _engine(self, run: Run) -> Outcome | None:
        forms = run.task.prompt.split()
        return await AsksAndLeaves(forms)(run)

    def go(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self.loop.run_until_complete(asyncio.wait_for(work, PATIENCE_S))

    def teardown(self) -> None:
        self.go(self._stop())
        self.loop.close()
        self.root.cleanup()

    async def _stop(self) -> None:
        self.bench.execution.shut_down()
        await self.bench.queue.stop()
        await self.store.note_uptime(self.bench.uptime.now_s())
        await self.store.close()

    async def _calm(self) -> None:
        """Until nothing works: everything waits for a person or has ended."""
        for task in self.tasks:
            while True:
                record = await self.bench.now(task)
                if record.status.ended:
                    break
                await self.bench.execution.wait_end(task.task_id)
                if await self.bench.desk.pending(record, limit=1):
                    break
                await asyncio.sleep(0)

    @initialize()
    def starts(self) -> None:
        self.go(self._start())

    async def _start(self) -> None:
        await self.store.open()
        await self.bench.recover()
        await self.bench.uptime.load()
        await self.bench.begin()

    @rule(forms=st.lists(st.sampled_from(sorted(FORMS)), min_size=1, max_size=3))
    def a_task_asks(self, forms: list[str]) -> None:
        self.tasks.append(self.go(self.bench.admit(" ".join(forms))))
        self.go(self._calm())

    @rule(data=st.data(), answer=ANSWERS)
    def a_question_that_waits_is_answered_alone(self, data: st.DataObject, answer: str | None) -> None:
        if waiting := [record for record in self.go(self._all()) if record.state is PENDING]:
            self.go(self._answer(data.draw(st.sampled_from(waiting)), answer, {}))

    @rule(data=st.data(), beside=st.dictionaries(st.sampled_from(["must", "may", "might"]), ANSWERS))
    def a_parent_is_answered_with_follow_ups(self, data: st.DataObject, beside: dict[str, str | None]) -> None:
        waiting = [record for record in self.go(self._all()) if record.state is PENDING]
        if parents := [record for record in waiting if record.question.follow_up_questions]:
            record = data.draw(st.sampled_from(parents))
            prefix = record.question_id.removesuffix("parent")
            answers = {f"{prefix}{name}": value for name, value in beside.items()}
            self.go(self._answer(record, data.draw(st.sampled_from("ab")), answers))

    @rule(data=st.data(), answer=ANSWERS)
    def the_oldest_task_is_answered_to_its_end(self, data: st.DataObject, answer: str | None) -> None:
        """One question after another, each until an answer is taken."""
        waiting = [record for record in self.go(self._all()) if record.state is PENDING]
        for record in waiting[:1]:
            task_id = record.task_id
            while pending := [
                each for each in self.go(self._all()) if each.state is PENDING and each.task_id == task_id
            ]:
                each = data.draw(st.sampled_from(pending))
                for given in (answer, "a", "b"):
                    self.go(self._answer(each, given, {}))

    @rule(data=st.data(), answer=ANSWERS)
    def somebody_comes_late(self, data: st.DataObject, answer: str | None) -> None:
        if settled := [record for record in self.go(self._all()) if record.state is not PENDING]:
            self.go(self._answer(data.draw(st.sampled_from(settled)), answer, {}))

    async def _answer(self, record: QuestionRecord, answer: str | None, answers: dict[str, Any]) -> None:
        try:
            receipt = await self.bench.answer(record, answer, answers=answers)
        except errors.InvalidAnswer:
            assert await self.store.question(record.session_id, record.question_id) == record
            return
        except (errors.AlreadyAnswered, errors.QuestionNotFound, errors.TaskInterrupted):
            assert (record.session_id, record.question_id) in self.settled or await self._is_settled(record)
            return
        assert record.state is PENDING
        call = await self.bench.desk.call(record.session_id, record.call_id)
        assert call is not None
        waiting = [each for each in call.records if each.state is PENDING]
        assert [each.question_id for each in waiting if each.parent_id is None or each.question.required] == list(
            receipt.remaining
        )
        assert bool(receipt.remaining) == (not call.is_settled)
        await self._calm()

    async def _is_settled(self, record: QuestionRecord) -> bool:
        current = await self.store.question(record.session_id, record.question_id)
        return current is not None and current.state is not PENDING

    @precondition(lambda self: self.tasks)
    @rule(data=st.data())
    def a_task_is_stopped(self, data: st.DataObject) -> None:
        task = data.draw(st.sampled_from(self.tasks))
        if not self.go(self.bench.now(task)).status.ended:
            self.stopped.add(task.task_id)
        self.go(self.bench.execution.stop(task.task_id))
        self.go(self._calm())

    @rule(seconds=st.sampled_from([1.0, TIMEOUT_S / 4, TIMEOUT_S]))
    def time_goes_by(self, seconds: float) -> None:
        self.bench.clock.pass_by(seconds)
        self.go(self._settle_due())

    async def _settle_due(self) -> None:
        for task_id in await self.bench.desk.settle_due():
            self.timed_out.add(task_id)
            await self.bench.execution.fail_unanswered(task_id)
        await self._calm()

    @rule()
    def the_server_starts_again(self) -> None:
        self.go(self._stop())
        self.bench = self._server()
        self.bench.clock.pass_by(86_400)
        self.go(self._start())
        self.go(self._calm())

    @invariant()
    def each_question_has_one_end(self) -> None:
        for record in self.go(self._all()):
            key = (record.session_id, record.question_id)
            if record.state is PENDING:
                assert key not in self.settled
                continue
            before = self.settled.setdefault(key, record)
            if record.answered_by == "default":
                assert not record.question.required or any(option.default for option in record.question.options)
            assert (before.state, before.answer, before.answered_by, before.answered_at) == (
                record.state,
                record.answer,
                record.answered_by,
                record.answered_at,
            )

    @invariant()
    def nothing_is_lost(self) -> None:
        for task in self.tasks:
            record = self.go(self.bench.now(task))
            pending = self.go(self.bench.desk.pending(record))
            if pending:
                assert record.status is TaskStatus.WAITING
            elif task.task_id in self.timed_out:
                assert record.status is TaskStatus.FAILED
            elif task.task_id in self.stopped:
                assert record.status is TaskStatus.CANCELLED
            else:
                assert record.status is TaskStatus.COMPLETED
                questions = self.go(self._of(record))
                assert all(question.way == "cold" for question in questions)

    async def _of(self, task: TaskRecord) -> list[QuestionRecord]:
        found, _ = await self.store.questions(states=frozenset(QuestionState), task_id=task.task_id, limit=1000)
        return list(found)

    async def _all(self) -> list[QuestionRecord]:
        found, _ = await self.store.questions(states=frozenset(QuestionState), limit=1000)
        return list(found)


TestDeskStates = DeskStates.TestCase
TestDeskStates.settings = settings(
    max_examples=40,
    stateful_step_count=25,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
