"""What came of a turn: success, or why not, and what this task alone has cost."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from claude_agent_sdk import ResultMessage

from glasshouse.contract.phrase import Language
from glasshouse.contract.task import Failure
from glasshouse.core.ports import EngineTask, Outcome
from glasshouse.engines.claude.failures import (
    MAX_TURNS,
    MODEL_FAILED,
    TOO_OLD,
    USAGE_LIMIT,
    engine_failed,
    no_credentials,
)
from glasshouse.engines.claude.turn import OLDEST, Turn

_TOTAL_COST = "total_cost_usd"
# What a task has cost and taken before it waited for a person.
_BEFORE = "before_waiting"


def outcome_of(turn: Turn, task: EngineTask, language: Language) -> Outcome | None:
    """None: the turn gave no result."""
    if turn.too_old is not None:
        return engine_failed(language, TOO_OLD, version=turn.too_old, oldest=".".join(map(str, OLDEST)))
    if turn.sign_in_refused:
        return with_figures(no_credentials(language, str(turn.api_error or "authentication_failed")), turn, task)
    if turn.result is None:
        return None
    outcome = _failure(turn.result, turn.api_error, task, language) or Outcome(turn.result.result or "")
    return with_figures(outcome, turn, task)


def deaths(task: EngineTask) -> int:
    """Of processes of this task that were to wait for a person."""
    return int(_earlier(task).get("deaths") or 0)


def waiting(turn: Turn, task: EngineTask, *, died: bool = False) -> Outcome:
    """For a person, without a process."""
    done = with_figures(Outcome("", waiting=True), turn, task)
    before = {
        "task_id": task.task_id,
        "cost_usd": done.cost_usd,
        "num_turns": done.num_turns,
        "deaths": deaths(task) + died,
    }
    return replace(done, engine_state={**(done.engine_state or task.engine_state), _BEFORE: before})


def with_figures(outcome: Outcome, turn: Turn, task: EngineTask) -> Outcome:
    earlier = _earlier(task)
    num_turns = turn.num_turns + int(earlier.get("num_turns") or 0)
    cost = float(earlier.get("cost_usd") or 0.0)
    total = None if turn.result is None else turn.result.total_cost_usd
    if total is None:
        if turn.result is None and not earlier:
            return outcome
        return replace(outcome, num_turns=num_turns, cost_usd=cost if earlier else None)
    before = float(task.engine_state.get(_TOTAL_COST, 0.0))
    # The total goes on over a resume, unless the process before it was killed.
    cost += total - before if total >= before else total
    kept = {name: value for name, value in task.engine_state.items() if name != _BEFORE}
    return replace(
        outcome,
        num_turns=num_turns,
        # What the demo model's words would have cost is nobody's cost.
        cost_usd=0.0 if task.offline else cost,
        engine_state={**kept, _TOTAL_COST: total},
    )


def _earlier(task: EngineTask) -> Mapping[str, Any]:
    earlier = task.engine_state.get(_BEFORE) or {}
    return earlier if earlier.get("task_id") == task.task_id else {}


def _failure(result: ResultMessage, api_error: str | None, task: EngineTask, language: Language) -> Outcome | None:
    if not result.is_error:
        return None
    if result.subtype == "error_max_turns":
        return Outcome(MAX_TURNS.say(language, turns=task.max_turns), failure=Failure.MAX_TURNS_REACHED)
    words = result.result or "; ".join(result.errors or ()) or result.subtype
    if api_error == "authentication_failed" or result.api_error_status == 401:
        return no_credentials(language, words)
    if api_error == "rate_limit" or result.api_error_status == 429:
        return Outcome(USAGE_LIMIT.say(language, words=words), failure=Failure.USAGE_LIMIT, detail=words)
    return engine_failed(language, MODEL_FAILED, words, words=words)
