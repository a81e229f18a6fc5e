"""What came of a turn: success, or why not, and what this task alone has cost."""

from dataclasses import replace

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


def with_figures(outcome: Outcome, turn: Turn, task: EngineTask) -> Outcome:
    if turn.result is None:
        return outcome
    total = turn.result.total_cost_usd
    if total is None:
        return replace(outcome, num_turns=turn.num_turns)
    before = float(task.engine_state.get(_TOTAL_COST, 0.0))
    # The total goes on over a resume, unless the process before it was killed.
    cost = total - before if total >= before else total
    return replace(
        outcome,
        num_turns=turn.num_turns,
        # What the demo model's words would have cost is nobody's cost.
        cost_usd=0.0 if task.offline else cost,
        engine_state={**task.engine_state, _TOTAL_COST: total},
    )


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
