"""What came of a turn: success, or why not."""

from collections.abc import Mapping
from typing import Any

from claude_agent_sdk import ResultMessage

from glasshouse.contract.phrase import Language
from glasshouse.contract.task import Failure
from glasshouse.core.ports import EngineTask, Outcome
from glasshouse.engines.claude.bounds import max_turns_reached
from glasshouse.engines.claude.failures import (
    MODEL_FAILED,
    TOO_OLD,
    engine_failed,
    no_credentials,
)
from glasshouse.engines.claude.limits import limit_in, limited
from glasshouse.engines.claude.turn import OLDEST, Turn

# What has happened to a task before it waited for a person.
_BEFORE = "before_waiting"


def outcome_of(turn: Turn, task: EngineTask, language: Language) -> Outcome | None:
    """None: the turn gave no result."""
    if turn.too_old is not None:
        return engine_failed(language, TOO_OLD, version=turn.too_old, oldest=".".join(map(str, OLDEST)))
    if turn.sign_in_refused:
        return no_credentials(language, str(turn.api_error or "authentication_failed"))
    if turn.result is None:
        return None
    return _failure(turn.result, turn, task, language) or Outcome(turn.result.result or "")


def deaths(task: EngineTask) -> int:
    """Of processes of this task that were to wait for a person."""
    return int(_earlier(task).get("deaths") or 0)


def waiting(task: EngineTask, *, died: bool = False) -> Outcome:
    """For a person, without a process."""
    before = {"task_id": task.task_id, "deaths": deaths(task) + died}
    return Outcome("", waiting=True, engine_state={**task.engine_state, _BEFORE: before})


def _earlier(task: EngineTask) -> Mapping[str, Any]:
    earlier = task.engine_state.get(_BEFORE) or {}
    return earlier if earlier.get("task_id") == task.task_id else {}


def _failure(result: ResultMessage, turn: Turn, task: EngineTask, language: Language) -> Outcome | None:
    if not result.is_error:
        return None
    if result.subtype == "error_max_turns":
        return max_turns_reached(task, language)
    if result.subtype == "error_max_budget_usd":
        return Outcome("", failure=Failure.BUDGET_EXCEEDED)
    words = result.result or "; ".join(result.errors or ()) or result.subtype
    # Some providers refuse a limit's victim as if it had no credentials.
    if (hit := limit_in(result, turn.api_error, turn.limit_resets_at)) is not None:
        return limited(hit, words, language)
    if turn.api_error == "authentication_failed" or result.api_error_status == 401:
        return no_credentials(language, words)
    return engine_failed(language, MODEL_FAILED, words, words=words)
