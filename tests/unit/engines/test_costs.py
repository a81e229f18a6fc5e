"""What a task costs over its processes, told from totals that are the session's."""

import asyncio
from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest
from claude_agent_sdk import AssistantMessage, ResultMessage, TextBlock

from glasshouse.contract.task import Failure
from glasshouse.core.ports import EngineTask, Figures, Outcome, Run
from glasshouse.engines.claude.bounds import budget_left, turns_left, used_up
from glasshouse.engines.claude.costs import Meter
from glasshouse.engines.claude.process import Usage
from glasshouse.engines.claude.turn import Turn

TASK = EngineTask("t", "s", "x", "/work/a", None, None, "default", None, None, False, False, {})


@dataclass
class _Run:
    told: list[Figures] = field(default_factory=list)
    stop: asyncio.Event = field(default_factory=asyncio.Event)

    async def spent(self, figures: Figures) -> None:
        self.told.append(figures)


def a_result(total: float, turns: int = 1) -> ResultMessage:
    return ResultMessage("success", 1, 1, False, turns, "s", total_cost_usd=total, result="Done.")


def metered(*totals: float, before: float = 0.0, **fields: Any) -> Outcome:
    meter, turn = Meter(cast("Run", _Run()), replace(TASK, **fields), before), Turn()
    for total in totals:
        meter.hear(a_result(total))
        turn.see(a_result(total))
    return meter.on(Outcome("Done."), turn, "en")


def test_a_task_costs_what_the_total_grew_by() -> None:
    done = metered(1.25, before=1.0)
    assert (done.cost_usd, done.num_turns, done.engine_state) == (0.25, 1, {"total_cost_usd": 1.25})


def test_what_it_cost_before_it_waited_is_in_it() -> None:
    assert metered(1.5, before=1.25, figures=Figures(0.25, 2)).cost_usd == 0.5
    assert metered(1.5, before=1.25, figures=Figures(0.25, 2)).num_turns == 3


def test_after_a_kill_the_total_begins_again() -> None:
    assert metered(0.5, before=1.0).cost_usd == 0.5


def test_what_a_process_counted_after_it_was_last_heard_is_the_same_tasks() -> None:
    told = {"engine_state": {"total_cost_usd": 1.0}, "continued": True}
    assert metered(2.0, before=1.25, **told).cost_usd == 1.0
    # Of another task it may have been a person's, in a terminal.
    assert metered(2.0, before=1.25, engine_state={"total_cost_usd": 1.0}).cost_usd == 0.75


def test_the_demo_costs_nothing_and_has_no_budget() -> None:
    done = metered(0.5, offline=True, max_budget_usd=0.1)
    assert (done.cost_usd, done.failure) == (0.0, None)
    assert budget_left(replace(TASK, offline=True, max_budget_usd=0.1)) is None


def test_what_is_not_known_is_not_guessed() -> None:
    assert metered().cost_usd is None
    assert metered(figures=Figures(0.5, 1)).cost_usd == 0.5


def test_a_budget_that_is_used_up_is_a_failure() -> None:
    assert metered(0.4, max_budget_usd=0.5).failure is None
    over = metered(0.4, max_budget_usd=0.5, figures=Figures(0.2, 1))
    assert (over.failure, over.message) == (
        Failure.BUDGET_EXCEEDED,
        "The budget of $0.5 is used up: it has cost $0.6000",
    )


def test_bounds_hold_for_all_processes_of_a_task_together() -> None:
    task = replace(TASK, max_budget_usd=1.0, max_turns=3, figures=Figures(0.25, 2))
    assert (budget_left(task), turns_left(task), used_up(task, "en")) == (0.75, 1, None)

    spent = used_up(replace(task, figures=Figures(1.0, 2)), "en")
    assert spent is not None and spent.failure is Failure.BUDGET_EXCEEDED
    turned = used_up(replace(task, figures=Figures(0.5, 3)), "en")
    assert turned is not None and turned.failure is Failure.MAX_TURNS_REACHED


@pytest.mark.parametrize("by_plan", [False, True])
async def test_the_log_has_it_message_by_message(by_plan: bool) -> None:
    run, asked = _Run(), 0
    answers = [Usage(0.1, by_plan), Usage(0.2, by_plan), None]
    meter = Meter(cast("Run", run), replace(TASK, max_budget_usd=0.2), 0.0)

    async def usage() -> Usage | None:
        nonlocal asked
        asked += 1
        return answers[asked - 1]

    watching = asyncio.create_task(meter.watch(usage))
    for _ in answers:
        meter.hear(AssistantMessage(content=[TextBlock("x")], model="m"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    async with asyncio.timeout(10):
        await watching
    # Where asking costs a request at the provider, it is not asked again and again.
    assert [told.cost_usd for told in run.told] == ([0.1] if by_plan else [0.1, 0.2])
    assert meter.spent_out.is_set() is not by_plan
