"""The desk with tasks behind it: what is asked waits, one answer is taken, and the task goes on with it."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.bench import Bench, opened
from tests.support.questions import OPENING, asking, choice, text

from glasshouse.contract import errors
from glasshouse.contract.question import Door, QuestionKind, QuestionState
from glasshouse.contract.task import Failure, TaskStatus
from glasshouse.core.ports import Asking, Outcome, QuestionRecord, Run, TaskRecord
from glasshouse.core.questions.forms import from_program, from_rich
from glasshouse.core.questions.settling import Given
from glasshouse.testing.scripted_engine import STOPPED, Step, asks, asks_and_leaves, says

WAYS = pytest.mark.parametrize("asks_in_a_way", [asks, asks_and_leaves], ids=["hot", "cold"])


@pytest.fixture
async def timed(tmp_path: Path) -> AsyncIterator[Bench]:
    async with opened(Bench(tmp_path, question_timeout_s=60)) as bench:
        await bench.begin()
        yield bench


async def asked(bench: Bench, task: TaskRecord, question_id: str) -> QuestionRecord:
    record = await bench.store.question(task.session_id, question_id)
    assert record is not None
    return record


async def said(bench: Bench, task: TaskRecord) -> list[str]:
    return [event["content"] for event in await bench.events(task) if event["type"] == "text"]


async def changes(bench: Bench, task: TaskRecord) -> list[dict[str, Any]]:
    infos = [event["metadata"] for event in await bench.events(task) if event["type"] == "info"]
    return [metadata["question"] for metadata in infos if "question" in metadata]


class TestAQuestion:
    @WAYS
    async def test_its_task_waits_and_goes_on_with_the_answer(self, running: Bench, asks_in_a_way: Any) -> None:
        running.engine.script = (says("before"), asks_in_a_way(asking("call", choice("q"))), says("after"))
        task = await running.admit()

        question = await running.waits(task)
        receipt = await running.answer(question, "b")
        ended = await running.ended(task)

        assert receipt.remaining == []
        assert ended.status is TaskStatus.COMPLETED
        assert await said(running, task) == ["before", '{"q": "b"}', "after"]
        record = await asked(running, task, "q")
        assert (record.state, record.answer, record.answered_by, record.door) == ("answered", "b", "person", "api")
        assert record.way is not None

    async def test_it_is_an_event_and_so_is_each_change(self, running: Bench) -> None:
        running.engine.script = (asks_and_leaves(asking("call", choice("q"), text("t"))),)
        task = await running.admit()
        question = await running.waits(task)
        await running.answer(question, "a")
        await running.answer(await asked(running, task, "t"), "as typed")
        await running.ended(task)

        shown = [event for event in await running.events(task) if event["type"] == "ask_user_question"]
        assert [event["question"]["question_id"] for event in shown] == ["q", "t"]
        assert [event["question"]["group"]["index"] for event in shown] == [1, 2]
        assert {event["question"]["round"] for event in shown} == {1}
        assert {event["tool_use_id"] for event in shown} == {"call"}
        told = [(change["question_id"], change["state"], change["way"]) for change in await changes(running, task)]
        assert told == [
            ("q", "answered", None),
            ("t", "answered", None),
            ("q", "answered", "cold"),
            ("t", "answered", "cold"),
        ]

    async def test_an_engine_that_left_is_not_kept(self, running: Bench) -> None:
        running.engine.script = (asks_and_leaves(asking("call", choice("q"))),)
        task = await running.admit()
        await running.waits(task)
        await running.execution.wait_end(task.task_id)

        await running.answer(await asked(running, task, "q"), "a")

        await running.ended(task)
        assert [told.continued for told in running.engine.told] == [False, True]

    async def test_a_call_is_asked_once_however_often_it_is_asked(self, running: Bench) -> None:
        async def asks_twice(run: Run) -> None:
            calls = await asyncio.gather(*(run.ask(asking("call", choice("q"))) for _ in range(5)))
            assert len({call.records[0].asked_at for call in calls}) == 1

        running.engine.script = (asks_twice, asks(asking("call", choice("q"))))
        task = await running.admit()
        await running.answer(await running.waits(task), "a")
        await running.ended(task)
        assert [event["type"] for event in await running.events(task)].count("ask_user_question") == 1

    async def test_an_id_is_used_once_in_a_session(self, running: Bench) -> None:
        refused: list[str] = []

        def asks_what_is_taken(*questions: dict[str, Any]) -> Step:
            async def step(run: Run) -> None:
                try:
                    await run.ask(asking("other", *questions))
                except errors.QuestionInvalid as refusal:
                    refused.append(refusal.detail)

            return step

        running.engine.script = (
            asks_and_leaves(asking("one", choice("q"))),
            asks_what_is_taken(text("q")),
            asks_what_is_taken(choice("x", follow_up_questions={"a": [text("q")]})),
        )
        task = await running.admit()
        await running.answer(await running.waits(task), "a")
        await running.ended(task)
        assert len(refused) == 2

    async def test_an_id_that_an_answer_may_still_open_is_taken_too(self, running: Bench) -> None:
        running.engine.script = (asks_and_leaves(asking("one", OPENING)),)
        task = await running.admit()
        await running.waits(task)
        for question_id in ("must", "might", "parent"):
            with pytest.raises(errors.QuestionInvalid):
                await running.desk.ask_for_program(task.session_id, from_program(text(question_id), ""))

    async def test_a_template_is_asked_again_under_the_next_number(self, running: Bench) -> None:
        def asks_template(call_id: str) -> Step:
            async def step(run: Run) -> Outcome | None:
                questions = from_rich(call_id, {"question_id": "parent"}, run.task.templates)
                return await asks_and_leaves(Asking(call_id=call_id, questions=questions))(run)

            return step

        running.engine.script = tuple(asks_template(call) for call in ("one", "two", "three"))
        task = await running.admit(questions=[OPENING])
        for question_id in ("parent", "parent#2", "parent#3"):
            question = await running.waits(task, question_id)
            suffix = question_id.removeprefix("parent")
            await running.answer(question, "a", answers={f"must{suffix}": "yes"})
        assert (await running.ended(task)).status is TaskStatus.COMPLETED


class TestAnswers:
    @pytest.fixture
    async def task(self, running: Bench) -> TaskRecord:
        running.engine.script = (asks_and_leaves(asking("call", OPENING)),)
        task = await running.admit()
        await running.waits(task)
        return task

    async def test_of_fifty_at_once_from_two_doors_one_wins_and_all_others_are_told_by_whom(
        self, running: Bench, task: TaskRecord
    ) -> None:
        # faults: D1 D2
        outcomes = await asyncio.gather(
            *(
                running.desk.answer(
                    task.session_id,
                    "parent",
                    Given(answer="c", reason=str(number), door=Door.API if number % 2 else Door.CONSOLE),
                )
                for number in range(50)
            ),
            return_exceptions=True,
        )
        winner = await asked(running, task, "parent")
        refusals = [outcome for outcome in outcomes if isinstance(outcome, errors.AlreadyAnswered)]
        assert len(refusals) == 49
        assert {refusal.winner["door"] for refusal in refusals} == {winner.door}
        [place] = [place for place, outcome in enumerate(outcomes) if not isinstance(outcome, Exception)]
        assert winner.reason == str(place)

    async def test_a_follow_up_may_come_with_its_parent(self, running: Bench, task: TaskRecord) -> None:
        receipt = await running.answer(
            await asked(running, task, "parent"), "a", answers={"must": "yes", "may": "perhaps"}
        )
        assert receipt.remaining == []
        await running.ended(task)
        assert await said(running, task) == ['{"parent": "a", "must": "yes", "may": "perhaps"}']

    async def test_a_parent_waits_for_what_it_opens(self, running: Bench, task: TaskRecord) -> None:
        receipt = await running.answer(await asked(running, task, "parent"), "a")
        assert receipt.remaining == ["must"]
        with pytest.raises(errors.AlreadyAnswered):
            await running.answer(await asked(running, task, "parent"), "b")
        assert (await running.now(task)).status is TaskStatus.WAITING

        receipt = await running.answer(await asked(running, task, "must"), "yes")
        assert receipt.remaining == []
        await running.ended(task)
        assert (await asked(running, task, "may")).state is QuestionState.CANCELLED
        with pytest.raises(errors.AlreadyAnswered):
            await running.answer(await asked(running, task, "may"), "late")

    async def test_an_optional_follow_up_is_answered_while_something_else_waits(
        self, running: Bench, task: TaskRecord
    ) -> None:
        await running.answer(await asked(running, task, "parent"), "a")
        receipt = await running.answer(await asked(running, task, "may"), "perhaps")
        assert receipt.remaining == ["must"]
        await running.answer(await asked(running, task, "must"), "yes", answers={})
        await running.ended(task)
        assert await said(running, task) == ['{"parent": "a", "must": "yes", "may": "perhaps"}']

    async def test_an_optional_follow_up_alone_holds_nothing_up(self, running: Bench, task: TaskRecord) -> None:
        receipt = await running.answer(await asked(running, task, "parent"), "b")
        assert receipt.remaining == []
        await running.ended(task)
        assert await running.store.question(task.session_id, "might") is None

    async def test_a_refused_answer_changes_nothing(self, running: Bench, task: TaskRecord) -> None:
        parent = await asked(running, task, "parent")
        for answer, beside in (("d", {}), ("a", {"answers": {"must": 1}}), ("b", {"answers": {"must": "no"}})):
            with pytest.raises(errors.InvalidAnswer):
                await running.answer(parent, answer, **beside)
        with pytest.raises(errors.InvalidAnswer):
            await running.answer(parent, "a", updated_input={"command": "rm"})
        assert await asked(running, task, "parent") == parent
        assert await running.store.question(task.session_id, "must") is None

    async def test_declined_it_goes_on_with_the_reason(self, running: Bench, task: TaskRecord) -> None:
        receipt = await running.answer(await asked(running, task, "parent"), None, reason="not now")
        assert receipt.remaining == []
        await running.ended(task)
        record = await asked(running, task, "parent")
        assert (record.state, record.answer, record.reason) == ("cancelled", None, "not now")
        with pytest.raises(errors.AlreadyAnswered):
            await running.answer(record, "a")

    async def test_declined_with_stop_the_task_ends_and_nothing_goes_on(self, running: Bench, task: TaskRecord) -> None:
        await running.answer(await asked(running, task, "parent"), None, stop=True)
        await running.execution.stop(task.task_id)
        assert (await running.now(task)).status is TaskStatus.CANCELLED
        assert len(running.engine.told) == 1

    async def test_a_server_that_died_before_the_stop_ends_the_task_at_its_start(
        self, running: Bench, task: TaskRecord
    ) -> None:
        await running.execution.wait_end(task.task_id)
        await running.answer(await asked(running, task, "parent"), None, stop=True)
        await running.queue.put(task)
        assert (await running.ended(task)).status is TaskStatus.CANCELLED
        assert len(running.engine.told) == 1

    async def test_an_engine_that_stays_is_told_to_stop_with_the_answer(self, running: Bench) -> None:
        heard: list[bool] = []

        async def listens(run: Run) -> Outcome:
            await run.ask(asking("hot", choice("q")))
            await run.settled("hot")
            heard.append(run.stop.is_set())
            return STOPPED

        running.engine.script = (listens,)
        task = await running.admit()
        await running.answer(await running.waits(task), None, stop=True)
        assert (await running.ended(task)).status is TaskStatus.CANCELLED
        assert heard == [True]

    async def test_an_answer_to_nothing_says_so(self, running: Bench, task: TaskRecord) -> None:
        # faults: D3
        given = Given(answer="a", door=Door.API)
        for session in ("", "no-uuid", task.task_id):
            with pytest.raises(errors.AnswerSessionNotFound):
                await running.desk.answer(session, "parent", given)
        with pytest.raises(errors.QuestionNotFound):
            await running.desk.answer(task.session_id, "must", given)
        other = await running.admit("other")
        with pytest.raises(errors.QuestionNotFound):
            await running.desk.answer(other.session_id, "parent", given)


class TestGroups:
    async def test_the_task_goes_on_after_the_last(self, running: Bench) -> None:
        running.engine.script = (asks_and_leaves(asking("call", choice("q1"), choice("q2"), text("q3"))),)
        task = await running.admit()
        question = await running.waits(task)
        assert (await running.answer(question, "a")).remaining == ["q2", "q3"]
        assert (await running.answer(await asked(running, task, "q3"), None)).remaining == ["q2"]
        assert (await running.now(task)).status is TaskStatus.WAITING
        assert (await running.answer(await asked(running, task, "q2"), "b")).remaining == []
        await running.ended(task)
        assert await said(running, task) == [json.dumps({"q1": "a", "q2": "b", "q3": None})]

    async def test_all_of_them_answered_at_once_by_many_go_on_once(self, running: Bench) -> None:
        running.engine.script = (asks_and_leaves(asking("call", *(text(f"q{number}") for number in range(20)))),)
        task = await running.admit()
        await running.waits(task)
        questions = await running.desk.pending(task)
        await asyncio.gather(*(running.answer(question, "x") for question in questions))
        await running.ended(task)
        assert len(await said(running, task)) == 1

    async def test_one_answer_may_bring_those_of_the_others(self, running: Bench) -> None:
        running.engine.script = (asks_and_leaves(asking("call", choice("q1"), choice("q2"))),)
        task = await running.admit()
        receipt = await running.answer(await running.waits(task), "a", answers={"q2": "b"})
        assert receipt.remaining == []
        assert (await running.ended(task)).status is TaskStatus.COMPLETED


class TestTheLimit:
    async def test_one_too_many_is_never_shown(self, tmp_path: Path) -> None:
        over: list[bool] = []

        async def asks_once_more(run: Run) -> None:
            call = await run.ask(asking("c3", text("q3")))
            over.append(call.is_over_limit)
            assert call.is_settled

        async with opened(Bench(tmp_path, question_limit=2)) as bench:
            await bench.begin()
            bench.engine.script = (
                asks(asking("p", choice("p", "allow", "deny"), kind=QuestionKind.PERMISSION)),
                asks(asking("c1", text("q1"))),
                asks(asking("c2", text("q2"))),
                asks_once_more,
            )
            task = await bench.admit()
            for question_id, answer in (("p", "allow"), ("q1", "x"), ("q2", "x")):
                question = await bench.waits(task, question_id)
                await bench.answer(question, answer)
            await bench.ended(task)
            assert over == [True]
            with pytest.raises(errors.RecursiveLimitExceeded):
                await bench.answer(await asked(bench, task, "q3"), "x")
            events = await bench.events(task)
            shown = [event["question"]["question_id"] for event in events if event["type"] == "ask_user_question"]
            assert shown == ["p", "q1", "q2"]
            assert [event["metadata"].get("notice") for event in events if event["type"] == "info"].count(
                "question_limit"
            ) == 1
            assert (await asked(bench, task, "q3")).state is QuestionState.CANCELLED
            assert (await bench.store.asking_rounds(task.session_id)) == 2

            bench.engine.script = (asks_and_leaves(asking("c4", text("q4"))),)
            again = await bench.admit(resume=task.session_id)
            assert (await bench.waits(again)).question_id == "q4"


class TestTimeOut:
    """On a clock that stands still until the test moves it."""

    @WAYS
    async def test_nobody_answers_and_the_task_fails(self, timed: Bench, asks_in_a_way: Any) -> None:
        # faults: D7 I7
        timed.engine.script = (asks_in_a_way(asking("call", choice("q"), choice("r", default="a"))),)
        task = await timed.admit()
        question = await timed.waits(task)
        timed.clock.wall = timed.clock.wall.replace(year=2038)
        assert await timed.desk.settle_due() == []
        timed.clock.seconds += 59.9
        assert await timed.desk.settle_due() == []
        timed.clock.seconds += 0.1
        for task_id in await timed.desk.settle_due():
            await timed.execution.fail_unanswered(task_id)

        ended = await timed.ended(task)
        assert ended.status is TaskStatus.FAILED
        assert ended.result is not None
        assert ended.result.error is Failure.TASK_TIMEOUT
        assert {(await asked(timed, task, name)).state for name in ("q", "r")} == {QuestionState.TIMEOUT}
        with pytest.raises(errors.QuestionNotFound):
            await timed.answer(question, "a")

    async def test_a_server_that_died_in_between_fails_the_task_at_its_start(self, timed: Bench) -> None:
        timed.engine.script = (asks_and_leaves(asking("call", choice("q"))),)
        task = await timed.admit()
        await timed.waits(task)
        await timed.execution.wait_end(task.task_id)
        timed.clock.seconds += 60
        assert await timed.desk.settle_due() == [task.task_id]
        # The answered call puts the task into the queue; nobody fails it but who takes it up.
        assert (await timed.ended(task)).status is TaskStatus.FAILED
        assert len(timed.engine.told) == 1

    async def test_declared_defaults_answer_if_everything_required_has_one(self, timed: Bench) -> None:
        parent = choice("q", default="a", follow_up_questions={"a": [choice("f", default="b")]})
        timed.engine.script = (asks_and_leaves(asking("call", parent, text("o", required=False))),)
        task = await timed.admit()
        await timed.waits(task)
        timed.clock.seconds += 60
        assert await timed.desk.settle_due() == []
        assert (await timed.ended(task)).status is TaskStatus.COMPLETED
        assert await said(timed, task) == ['{"q": "a", "o": "", "f": "b"}']
        record = await asked(timed, task, "q")
        assert (record.answered_by, record.door) == ("default", None)
        with pytest.raises(errors.AlreadyAnswered) as refusal:
            await timed.answer(record, "b")
        assert refusal.value.winner["answered_by"] == "default"

    async def test_a_required_follow_up_without_a_default_leaves_all_unanswered(self, timed: Bench) -> None:
        parent = choice("q", default="a", follow_up_questions={"a": [text("f")]})
        timed.engine.script = (asks_and_leaves(asking("call", parent)),)
        task = await timed.admit()
        await timed.waits(task)
        timed.clock.seconds += 60
        assert await timed.desk.settle_due() == [task.task_id]
        assert (await asked(timed, task, "q")).state is QuestionState.TIMEOUT

    @pytest.mark.parametrize("kind", [QuestionKind.PERMISSION, QuestionKind.PLAN_APPROVAL, QuestionKind.TRUST])
    async def test_leave_is_waited_for_for_ever(self, timed: Bench, kind: QuestionKind) -> None:
        timed.engine.script = (asks_and_leaves(asking("call", choice("q", default="a"), kind=kind)),)
        task = await timed.admit()
        await timed.waits(task)
        timed.clock.seconds += 1_000_000
        assert await timed.desk.settle_due() == []

    async def test_a_servers_absence_does_not_count(self, timed: Bench) -> None:
        # faults: I7
        timed.engine.script = (asks_and_leaves(asking("call", choice("q"))),)
        task = await timed.admit()
        await timed.waits(task)
        timed.clock.seconds += 50
        await timed.store.note_uptime(timed.uptime.now_s())
        timed.clock.pass_by(86_400)
        await timed.uptime.load()
        assert await timed.desk.settle_due() == []
        assert timed.desk.report(await asked(timed, task, "q")).due_in_s == 10.0
        timed.clock.seconds += 10
        assert await timed.desk.settle_due() == [task.task_id]


class TestTheEndOfItsTask:
    @WAYS
    async def test_it_takes_its_questions_along_and_tells(self, running: Bench, asks_in_a_way: Any) -> None:
        # faults: D1
        running.engine.script = (asks_in_a_way(asking("call", choice("q1"), choice("q2"))),)
        task = await running.admit()
        question = await running.waits(task)
        await running.answer(question, "a")
        await running.execution.stop(task.task_id)

        *_, change, complete = await running.events(task)
        assert complete["type"] == "complete"
        assert change["metadata"]["question"] | {"answered_at": None} == {
            "question_id": "q2",
            "state": "cancelled",
            "answer": None,
            "answered_by": "task_end",
            "answered_at": None,
            "door": None,
            "way": None,
        }
        with pytest.raises(errors.TaskInterrupted):
            await running.answer(await asked(running, task, "q2"), "a")
        with pytest.raises(errors.AlreadyAnswered):
            await running.answer(question, "a")

    async def test_the_line_behind_a_waiting_task_waits_with_it_and_goes_on_after_it(self, running: Bench) -> None:
        running.engine.plays("first", asks_and_leaves(asking("call", choice("q"))))
        first = await running.admit("first")
        await running.waits(first)
        second = await running.admit("second", resume=first.session_id, queue=True)
        await running.execution.wait_end(first.task_id)
        assert (await running.now(second)).status is TaskStatus.QUEUED
        with pytest.raises(errors.SessionBusy):
            await running.admit("third", resume=first.session_id)

        await running.execution.stop(first.task_id)
        assert (await running.ended(second)).status is TaskStatus.COMPLETED

    async def test_stop_and_answer_at_once_leave_one_end_and_one_outcome(self, running: Bench) -> None:
        running.engine.script = (asks_and_leaves(asking("call", choice("q"))),)
        for _ in range(20):
            task = await running.admit()
            question = await running.waits(task)
            await asyncio.gather(
                running.answer(question, "a"), running.execution.stop(task.task_id), return_exceptions=True
            )
            ended = await running.ended(task)
            assert len(await running.ends(task)) == 1
            record = await asked(running, task, "q")
            assert record.state is not QuestionState.PENDING
            if record.state is QuestionState.CANCELLED:
                assert ended.status is TaskStatus.CANCELLED


class TestTimeSpent:
    async def test_waiting_is_no_work(self, tmp_path: Path) -> None:
        async with opened(Bench(tmp_path, timeout_s=100)) as bench:

            async def works(run: Run) -> None:
                bench.clock.seconds += 30

            waits_hot = asyncio.Event()

            async def asks_hot(run: Run) -> None:
                await run.ask(asking("hot", choice("h")))
                settling = asyncio.ensure_future(run.settled("hot"))
                await asyncio.sleep(0)
                waits_hot.set()
                await settling

            bench.engine.script = (works, asks_and_leaves(asking("cold", choice("c"))), works, asks_hot, works)
            await bench.begin()
            task = await bench.admit()
            question = await bench.waits(task)
            await bench.execution.wait_end(task.task_id)
            bench.clock.seconds += 10_000
            await bench.answer(question, "a")
            await waits_hot.wait()
            bench.clock.seconds += 10_000
            await bench.answer(await asked(bench, task, "h"), "a")
            ended = await bench.ended(task)
            assert ended.result is not None
            assert (ended.status, ended.result.duration_ms) == (TaskStatus.COMPLETED, 90_000)


class TestPrograms:
    async def test_a_programs_question_belongs_to_the_session_and_outlives_its_tasks(self, running: Bench) -> None:
        task = await running.do()
        record = await running.desk.ask_for_program(task.session_id, from_program(choice("mine"), ""))
        assert (await running.now(task)).status is TaskStatus.COMPLETED
        receipt = await running.answer(record, "a")
        assert receipt.record.task_id is None
        frames = await running.store.read(task.session_id, after=0, limit=100)
        assert [json.loads(frame.body)["type"] for frame in frames if frame.task_id is None] == [
            "ask_user_question",
            "info",
        ]
        assert not [event for event in await running.events(task) if "question" in event]

    async def test_it_needs_a_session_and_an_id_of_its_own(self, running: Bench) -> None:
        question = from_program(choice("mine"), "")
        with pytest.raises(errors.SessionNotFound):
            await running.desk.ask_for_program("nobody", question)
        task = await running.do()
        outcomes = await asyncio.gather(
            *(running.desk.ask_for_program(task.session_id, question) for _ in range(5)), return_exceptions=True
        )
        assert sum(isinstance(outcome, errors.QuestionInvalid) for outcome in outcomes) == 4


async def test_an_engine_that_is_told_to_stop_while_it_waits_hears_of_it(running: Bench) -> None:
    seen: list[bool] = []

    async def waits_until_stopped(run: Run) -> Outcome:
        await run.ask(asking("call", choice("q")))
        await run.stop.wait()
        seen.append(run.stop.is_set())
        return STOPPED

    running.engine.script = (waits_until_stopped,)
    task = await running.admit()
    await running.waits(task)
    await running.execution.stop(task.task_id)
    assert seen == [True]
    assert (await running.now(task)).status is TaskStatus.CANCELLED
