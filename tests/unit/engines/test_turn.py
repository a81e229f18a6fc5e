"""When a turn is over, and what came of it."""

from typing import Any

import pytest
from claude_agent_sdk import (
    AssistantMessage,
    Message,
    ResultMessage,
    SystemMessage,
    TaskNotificationMessage,
    TaskStartedMessage,
    TaskUsage,
    TextBlock,
    ToolResultBlock,
    UserMessage,
)

from glasshouse.contract.task import Failure
from glasshouse.core.ports import EngineTask, Outcome
from glasshouse.engines.claude.outcome import outcome_of
from glasshouse.engines.claude.turn import IDLE_GRACE_S, Turn

IDLE = SystemMessage("session_state_changed", {"state": "idle"})


def a_result(**fields: Any) -> ResultMessage:
    values: dict[str, Any] = {
        "subtype": "success",
        "duration_ms": 1,
        "duration_api_ms": 1,
        "is_error": False,
        "num_turns": 1,
        "session_id": "s",
        "total_cost_usd": 0.25,
        "result": "Done.",
    }
    return ResultMessage(**values | fields)


def an_error(kind: Any, **fields: Any) -> list[Message]:
    words = AssistantMessage(content=[TextBlock("API Error")], model="<synthetic>", error=kind)
    return [words, a_result(is_error=True, result="API Error", terminal_reason="api_error", **fields)]


def after(*messages: Message) -> Turn:
    turn = Turn()
    for message in messages:
        turn.see(message)
    return turn


def a_task() -> EngineTask:
    return EngineTask("t", "s", "x", "/work/a", None, None, "default", None, 3, False, False, {})


def outcome(*messages: Message) -> Outcome:
    found = outcome_of(after(*messages), a_task(), "en")
    assert found is not None
    return found


def test_it_is_over_when_idle_follows_the_answer() -> None:
    assert not after(IDLE).over
    assert not after(a_result()).over
    assert after(a_result(), IDLE).over


def test_a_result_that_answers_an_older_message_is_not_the_answer() -> None:
    turn = after(a_result(user_message_uuid="another", result="old"), a_result(num_turns=0, result="old"), IDLE)
    assert not turn.over and turn.result is None

    turn.see(a_result(user_message_uuid=turn.prompt_uuid, num_turns=0))
    turn.see(IDLE)
    assert turn.over and turn.result is not None and turn.result.result == "Done."


def test_what_background_agents_lead_to_belongs_to_the_turn() -> None:
    turn = after(a_result(result="I wait.", num_turns=2))
    turn.see(a_result(user_message_uuid="a notification", result="All is in.", num_turns=3))
    turn.see(IDLE)

    assert (turn.num_turns, turn.result and turn.result.result) == (5, "All is in.")


def test_patience_begins_with_the_answer_and_not_while_an_agent_is_at_work() -> None:
    started = TaskStartedMessage("task_started", {}, "a1", "look", "u", "s", task_type="local_agent")
    usage: TaskUsage = {"total_tokens": 1, "tool_uses": 1, "duration_ms": 1}
    ended = TaskNotificationMessage("task_notification", {}, "a1", "completed", "", "", "u", "s", usage=usage)

    assert after().patience_s is None
    assert after(a_result()).patience_s is not None
    assert after(started, a_result()).patience_s is None
    assert after(started, a_result(), ended).patience_s is not None


def test_when_stopping_any_result_is_the_end() -> None:
    turn = Turn()
    turn.stop()
    turn.see(a_result(num_turns=0, subtype="error_during_execution", is_error=True))

    assert turn.over


def test_no_result_is_no_outcome() -> None:
    assert outcome_of(after(), a_task(), "en") is None


def test_success_has_the_whole_text() -> None:
    done = outcome(a_result(), IDLE)
    assert (done.message, done.failure) == ("Done.", None)


@pytest.mark.parametrize(
    ("messages", "failure"),
    [
        ([a_result(subtype="error_max_turns", is_error=True, result=None)], Failure.MAX_TURNS_REACHED),
        ([a_result(subtype="error_max_budget_usd", is_error=True, result=None)], Failure.BUDGET_EXCEEDED),
        (an_error("rate_limit", api_error_status=429), Failure.USAGE_LIMIT),
        (an_error("authentication_failed"), Failure.NO_CREDENTIALS),
        (an_error("unknown", api_error_status=401), Failure.NO_CREDENTIALS),
        (an_error("server_error", api_error_status=529), Failure.USAGE_LIMIT),
        (an_error("server_error", api_error_status=500), Failure.ENGINE_FAILED),
        ([a_result(is_error=True, subtype="error_during_execution", errors=["broke"])], Failure.ENGINE_FAILED),
    ],
)
def test_an_error_result_is_a_failure_of_its_kind(messages: list[Message], failure: Failure) -> None:
    assert outcome(*messages).failure is failure


def test_an_error_that_was_overcome_is_none() -> None:
    recovered = AssistantMessage(content=[TextBlock("Done.")], model="m")
    assert outcome(an_error("rate_limit")[0], recovered, a_result()).failure is None


def test_repeated_refusals_of_the_credentials_are_hopeless() -> None:
    def retry(attempt: int, error: str) -> SystemMessage:
        return SystemMessage("api_retry", {"attempt": attempt, "error": error})

    assert not after(retry(1, "authentication_failed")).hopeless
    assert not after(retry(9, "overloaded")).hopeless
    assert outcome(retry(3, "authentication_failed")).failure is Failure.NO_CREDENTIALS


@pytest.mark.parametrize(
    ("version", "old"),
    [
        ("1.0.128", True),
        ("2.0.0", False),
        ("2.1.327-beta", False),
        ("10.0.1", False),
        ("unknown", False),
        (None, False),
    ],
)
def test_an_old_claude_code_is_hopeless(version: str | None, old: bool) -> None:
    assert after(SystemMessage("init", {"claude_code_version": version})).hopeless is old


# --- with what is said to steer it


def steered(*steering: str) -> Turn:
    """Its prompt is with the model, and these are on their way."""
    turn = Turn()
    turn.begin("prompt")
    turn.see(UserMessage("do it", uuid="prompt"))
    for uuid in steering:
        turn.expects(uuid)
    return turn


def seen(turn: Turn, *messages: Message) -> Turn:
    for message in messages:
        turn.see(message)
    return turn


def test_before_its_prompt_is_taken_in_nothing_may_join_it() -> None:
    turn = Turn()
    turn.begin("prompt")
    assert not turn.takes_more
    assert not seen(turn, UserMessage("other", uuid="other")).takes_more
    assert seen(turn, UserMessage("do it", uuid="prompt")).takes_more


def test_after_its_result_nothing_joins_it() -> None:
    assert not seen(steered(), a_result(user_message_uuid="prompt")).takes_more


def test_what_is_presented_again_takes_more_once_it_has_its_result() -> None:
    turn = Turn()
    turn.begin(None)
    assert not turn.takes_more
    assert seen(turn, UserMessage([ToolResultBlock("toolu_q", "answered")], uuid="u")).takes_more


def test_what_joined_it_is_over_with_its_result() -> None:
    result = a_result(user_message_uuid="prompt", user_message_uuids=["prompt", "s1"])
    turn = seen(steered("s1"), UserMessage("mind", uuid="s1"), result, IDLE)

    assert turn.over


def test_what_came_too_late_has_a_result_of_its_own() -> None:
    turn = seen(steered("s1", "s2"), a_result(user_message_uuid="prompt"), IDLE)
    assert not turn.over and turn.takes_more

    seen(turn, UserMessage("mind", uuid="s1"), UserMessage("mind", uuid="s2"))
    seen(turn, a_result(user_message_uuid="s2", user_message_uuids=["s1", "s2"], result="Minded."), IDLE)
    assert turn.over and turn.num_turns == 2
    assert turn.result is not None and turn.result.result == "Minded."


def test_what_was_taken_back_is_not_waited_for() -> None:
    turn = steered("s1")
    turn.no_longer_expects("s1")

    assert seen(turn, a_result(user_message_uuid="prompt"), IDLE).over


def test_what_was_taken_in_and_is_named_by_no_result_is_over_when_idle() -> None:
    turn = seen(steered("s1"), a_result(user_message_uuid="prompt"), UserMessage("/cost", uuid="s1"), IDLE)

    assert turn.over


def test_what_is_lost_on_its_way_is_waited_for_a_moment_only() -> None:
    turn = seen(steered("s1"), a_result(user_message_uuid="prompt"))
    assert turn.patience_s is None
    assert seen(turn, IDLE).patience_s == IDLE_GRACE_S
