"""The question of a directory's trust at the desk: one answer decides, for all who wait for it, and is remembered."""

import json
from typing import Any

import pytest
from tests.support.bench import Bench

from glasshouse.contract.question import QuestionState
from glasshouse.contract.task import TaskStatus
from glasshouse.core.encoding import EVENT_LIMIT
from glasshouse.core.ports import Append, Run, TaskRecord, TrustDecision, TrustRecord
from glasshouse.core.questions.trust import trust_asking
from glasshouse.testing.scripted_engine import WAITING, Step

RUNS = [{"kind": "hook", "path": ".claude/settings.json", "name": "Stop", "what": "touch canary"}]


def trusting(digest: str = "d", runs: list[dict[str, str]] = RUNS, directory: str = "/work") -> Step:
    async def step(run: Run) -> Any:
        call = await run.ask(trust_asking(run.task.task_id, directory, digest, runs, "en"))
        if not call.is_settled:
            return WAITING
        await run.settled(call.call_id)
        await run.told(call.call_id, "started")
        return None

    return step


def decided(digest: str = "d") -> TrustRecord:
    return TrustRecord("/work", digest, TrustDecision.WITHOUT, "2026-01-01T00:00:00.000Z", "s", "q")


async def events(house: Bench, task: TaskRecord, kind: str) -> list[dict[str, Any]]:
    return [event for event in await house.events(task) if event["type"] == kind]


@pytest.fixture
async def house(running: Bench) -> Bench:
    running.engine.script = (trusting(),)
    return running


async def test_its_answer_is_remembered_with_it(house: Bench) -> None:
    task = await house.admit()
    question = await house.waits(task)
    await house.answer(question, "trust")
    assert (await house.ended(task)).status is TaskStatus.COMPLETED
    [kept] = await house.store.trusts()
    assert (kept.directory, kept.digest, kept.decision) == ("/work", "d", "trust")
    assert (kept.session_id, kept.question_id) == (task.session_id, question.question_id)


@pytest.mark.parametrize("answer", ["cancel", None])
async def test_to_cancel_decides_nothing_about_the_directory(house: Bench, answer: str | None) -> None:
    other = await house.admit()
    task = await house.admit()
    waits = await house.waits(other)
    await house.answer(await house.waits(task), answer)
    await house.ended(task)
    assert await house.store.trusts() == []
    assert (await house.now(other)).status is TaskStatus.WAITING
    await house.answer(waits, "without")


async def test_those_who_wait_for_the_same_go_on_with_it_and_say_whose_it_is(house: Bench) -> None:
    tasks = [await house.admit() for _ in range(3)]
    house.engine.plays("another", trusting("another"))
    other = await house.admit("another")
    questions = [await house.waits(task) for task in tasks]
    await house.waits(other)
    await house.answer(questions[0], "without")
    for task in tasks:
        assert (await house.ended(task)).status is TaskStatus.COMPLETED
    change = (await events(house, tasks[2], "info"))[1]["metadata"]["question"]
    assert (change["state"], change["answer"], change["answered_by"]) == ("answered", "without", "elsewhere")
    assert change["door"] is None and change["answered_at"]
    assert (await house.now(other)).status is TaskStatus.WAITING
    await house.answer(await house.waits(other), "cancel")


async def test_a_decision_that_comes_while_it_is_asked_settles_it(house: Bench) -> None:
    await house.store.append(Append("s", trust=[decided()]))
    task = await house.admit()
    assert (await house.ended(task)).status is TaskStatus.COMPLETED
    [asked] = await events(house, task, "ask_user_question")
    record = await house.store.question(task.session_id, asked["question"]["question_id"])
    assert record is not None
    assert (record.answer, record.answered_by) == ("without", "elsewhere")


async def test_a_server_that_died_before_the_others_were_told_tells_them_at_its_next_start(house: Bench) -> None:
    task = await house.admit()
    await house.waits(task)
    await house.store.append(Append("s", trust=[decided()]))
    await house.desk.settle_decided()
    assert (await house.ended(task)).status is TaskStatus.COMPLETED
    assert await house.store.trust_questions() == []


async def test_it_is_no_round_is_never_due_and_goes_with_its_task(house: Bench) -> None:
    task = await house.admit()
    question = await house.waits(task)
    assert (question.round, question.due_at_uptime_s, question.question.allow_other) == (0, None, False)
    await house.execution.wait_end(task.task_id)
    await house.execution.stop(task.task_id)
    record = await house.store.question(task.session_id, question.question_id)
    assert record is not None
    assert (record.state, record.answered_by) == (QuestionState.CANCELLED, "task_end")


async def test_more_than_an_event_holds_is_counted_and_not_cut_in_the_middle(house: Bench) -> None:
    many = [{"kind": "hook", "path": f"{number}", "name": "Stop", "what": "x" * 2_000} for number in range(500)]
    house.engine.script = (trusting(runs=many),)
    task = await house.admit()
    await house.waits(task)
    [asked] = await events(house, task, "ask_user_question")
    shown = asked["question"]["runs"]
    assert 10 < len(shown) < 100 and asked["question"]["runs_total"] == 500
    assert shown == many[: len(shown)] and "truncated" not in {name for name, value in asked.items() if value}
    assert len(json.dumps(asked)) < EVENT_LIMIT
    await house.answer(await house.waits(task), "cancel")


async def test_the_agent_is_told_nothing_of_it(house: Bench) -> None:
    seen: list[int] = []

    async def looks(run: Run) -> None:
        await run.ask(trust_asking(run.task.task_id, "/work", "d", RUNS, "en"))
        seen.append(len(await run.open_calls()))

    house.engine.script = (looks, trusting())
    task = await house.admit()
    await house.answer(await house.waits(task), "trust")
    await house.ended(task)
    assert set(seen) == {0}
