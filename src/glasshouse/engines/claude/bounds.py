"""What a task may still cost and take: its bounds hold for all its processes together, and each counts for itself."""

from glasshouse.contract.phrase import Language
from glasshouse.contract.task import Failure
from glasshouse.core.ports import EngineTask, Outcome
from glasshouse.engines.claude.failures import BUDGET_EXCEEDED, MAX_TURNS


def budget_left(task: EngineTask) -> float | None:
    """In US dollars; None: no limit. What the demo model's words would have cost is nobody's cost."""
    if task.max_budget_usd is None or task.offline:
        return None
    return task.max_budget_usd - (task.figures.cost_usd or 0.0)


def turns_left(task: EngineTask) -> int | None:
    return None if task.max_turns is None else task.max_turns - (task.figures.num_turns or 0)


def used_up(task: EngineTask, language: Language) -> Outcome | None:
    """A task that may not have another turn, before it has one."""
    budget, turns = budget_left(task), turns_left(task)
    if budget is not None and budget <= 0:
        return budget_exceeded(task, task.figures.cost_usd, language)
    if turns is not None and turns <= 0:
        return max_turns_reached(task, language)
    return None


def budget_exceeded(task: EngineTask, cost_usd: float | None, language: Language) -> Outcome:
    words = BUDGET_EXCEEDED.say(language, budget=task.max_budget_usd, cost=cost_usd or 0.0)
    return Outcome(words, failure=Failure.BUDGET_EXCEEDED)


def max_turns_reached(task: EngineTask, language: Language) -> Outcome:
    return Outcome(MAX_TURNS.say(language, turns=task.max_turns), failure=Failure.MAX_TURNS_REACHED)
