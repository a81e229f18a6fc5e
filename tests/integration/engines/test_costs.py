"""What a task has cost, on the real Claude Code, against the offline model's own ledger; and budgets that stop it."""

import asyncio
import os
import signal
from collections.abc import Callable

import pytest
from tests.acceptance.support.processes import working_in
from tests.integration.engines.house import House, living
from tests.integration.engines.stage import Stage
from tests.integration.engines.test_questions import asks, plays

from glasshouse.contract.question import QuestionState
from glasshouse.contract.task import Failure, TaskStatus
from glasshouse.core.ports import TaskRecord
from glasshouse.testing.offline_model import Call, Charged, Say

Price = Callable[[list[Charged]], float]

RUN = Call("Bash", {"command": "true", "description": "As told"})


async def price_of(stage: Stage) -> Price:
    """What Claude Code takes for a token in and a token out, from two tasks of one message each."""
    known = []
    for words in ("Short.", "Long. " * 2000):
        run = await stage.do(stage.run(Say(words), prompt=f"Say {len(words)}.", tools=()))
        charged = stage.model.ledger[-1]
        known.append((charged.input_tokens, charged.output_tokens, run.outcome.cost_usd or 0.0))
    (in1, out1, cost1), (in2, out2, cost2) = known
    of_output = (cost2 * in1 - cost1 * in2) / (out2 * in1 - out1 * in2)
    of_input = (cost1 - out1 * of_output) / in1
    stage.model.ledger.clear()
    return lambda charged: sum(each.input_tokens * of_input + each.output_tokens * of_output for each in charged)


async def answered(house: House, task: TaskRecord, times: int) -> TaskRecord:
    for _ in range(times):
        [question] = await house.asked(task)
        await house.until_left(task)
        await house.answer(question, "Red")
        await house.until_settled_by(task, question)
    return await house.ended(task)


async def until_noted(house: House, task: TaskRecord, cost: Callable[[], float]) -> None:
    """Its last command runs, and the log has what it has cost up to then."""
    async with asyncio.timeout(30):
        while True:
            record = await house.store.task(task.task_id)
            noted = 0.0 if record is None else record.figures.cost_usd or 0.0
            if (house.stage.project / "begun").exists() and noted == pytest.approx(cost(), rel=1e-6):
                return
            await asyncio.sleep(0.02)


# faults: I1
async def test_a_task_that_waited_twice_costs_what_its_messages_cost(stage: Stage) -> None:
    price = await price_of(stage)
    plays(stage, RUN, asks("One?", id="toolu_1"), asks("Two?", id="toolu_2"), RUN, Say("Done."))
    async with living(stage) as house:
        task = await answered(house, await house.admit(tools=("Bash",)), 2)

    assert task.status is TaskStatus.COMPLETED and task.result is not None and task.result.num_turns is not None
    assert task.result.cost_usd == pytest.approx(price(list(stage.model.ledger)), rel=1e-6)
    assert set(task.result.tools_used) == {"Bash", "AskUserQuestion"}
    assert task.figures.cost_usd == task.result.cost_usd


# faults: I1 I4
async def test_a_killed_claude_code_takes_nothing_of_what_it_cost_along(stage: Stage) -> None:
    price = await price_of(stage)
    plays(stage, RUN, Call("Bash", {"command": "touch begun; sleep 98765"}), Say("Never said."))
    plays(stage, Say("Here again."), prompt="And now?")
    async with living(stage) as house:
        task = await house.admit(tools=("Bash",))
        await until_noted(house, task, lambda: price(list(stage.model.ledger)))
        for pid, command in working_in(stage.project).items():
            if "--session-id" in command:
                os.kill(pid, signal.SIGKILL)
        task = await house.ended(task)

        assert task.result is not None and task.result.error is Failure.ENGINE_FAILED
        assert task.result.cost_usd == pytest.approx(price(list(stage.model.ledger)), rel=1e-6)

        # What the session costs from here on is counted from here on.
        stage.model.ledger.clear()
        again = await house.ended(await house.admit("And now?", session_id=task.session_id, tools=()))
        assert again.result is not None
        assert again.result.cost_usd == pytest.approx(price(list(stage.model.ledger)), rel=1e-6)


async def test_a_budget_stops_a_running_task(stage: Stage) -> None:
    price = await price_of(stage)
    plays(stage, *[RUN] * 20, Say("Done."))
    async with living(stage) as house:
        one = await house.ended(await house.admit("Say 6.", tools=()))
        assert one.result is not None and one.result.cost_usd
        budget = one.result.cost_usd * 2.5
        stage.model.ledger.clear()
        task = await house.ended(await house.admit(tools=("Bash",), max_budget_usd=budget))

    assert task.result is not None and task.status is TaskStatus.FAILED
    assert task.result.error is Failure.BUDGET_EXCEEDED
    assert task.result.cost_usd is not None and budget <= task.result.cost_usd < budget * 2
    assert task.result.cost_usd == pytest.approx(price(list(stage.model.ledger)), rel=1e-6)
    assert len(stage.model.ledger) < 6


async def test_a_budget_holds_over_the_processes_of_a_task(stage: Stage) -> None:
    """Each of them stays within it, all together do not."""
    plays(stage, *[asks(f"No. {number}?", id=f"toolu_{number}") for number in range(6)], Say("Done."))
    async with living(stage) as house:
        one = await house.ended(await house.admit("Say it.", tools=()))
        assert one.result is not None and one.result.cost_usd
        budget = one.result.cost_usd * 2.5
        task = await house.admit(tools=(), max_budget_usd=budget)
        ended = await answered(house, task, 2)

    assert ended.result is not None and ended.result.error is Failure.BUDGET_EXCEEDED
    assert ended.result.cost_usd is not None and budget <= ended.result.cost_usd < budget * 2
    # The question that it could not pay any more went with it.
    assert [each.state for each in await house.questions(task)] == [
        QuestionState.ANSWERED,
        QuestionState.ANSWERED,
        QuestionState.CANCELLED,
    ]


async def test_turns_are_counted_over_the_processes_of_a_task(stage: Stage) -> None:
    plays(stage, RUN, asks("One?", id="toolu_1"), *[RUN] * 9, Say("Done."))
    async with living(stage) as house:
        task = await answered(house, await house.admit(tools=("Bash",), max_turns=4), 1)

    assert task.result is not None and task.result.error is Failure.MAX_TURNS_REACHED
    results = await house.results(task)
    assert len(results) <= 5
