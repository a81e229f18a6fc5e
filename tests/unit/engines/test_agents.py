"""What Claude Code tells of agents as events: at their start and end, and between only now and then."""

from typing import Any

from claude_agent_sdk import (
    Message,
    SystemMessage,
    TaskNotificationMessage,
    TaskProgressMessage,
    TaskStartedMessage,
    TaskUpdatedMessage,
)

from glasshouse.contract.events import AgentProgress, Info, Stamp
from glasshouse.engines.claude.agents import NOTED_EVERY_S, Agents


class Watched:
    def __init__(self) -> None:
        self.now = 0.0
        self.agents = Agents(self._stamp, "en", lambda: self.now)

    def _stamp(self) -> Stamp:
        return {"session_id": "s", "task_id": "t", "timestamp": "2026-01-01T00:00:00.000Z"}

    def sees(self, *messages: Message) -> list[Info | AgentProgress]:
        return [event for message in messages for event in self.agents.events(message)]


def started(task_id: str = "a", kind: str = "local_agent", **data: Any) -> TaskStartedMessage:
    told = {"task_id": task_id, "task_type": kind, "description": "look", **data}
    return TaskStartedMessage("task_started", told, task_id, "look", "u", "s", tool_use_id="call", task_type=kind)


def progress(tokens: int) -> TaskProgressMessage:
    usage: Any = {"total_tokens": tokens, "tool_uses": 1, "duration_ms": 5}
    return TaskProgressMessage("task_progress", {}, "a", "Running it", usage, "u", "s", last_tool_name="Bash")


def updated(status: Any, task_id: str = "a") -> TaskUpdatedMessage:
    return TaskUpdatedMessage("task_updated", {}, task_id, {"status": status}, status)


def notified(status: Any = "completed", task_id: str = "a", summary: str = "found it") -> TaskNotificationMessage:
    return TaskNotificationMessage("task_notification", {}, task_id, status, "/x", summary, "u", "s")


def in_background(*task_ids: str) -> SystemMessage:
    tasks = [{"task_id": task_id, "task_type": "local_bash"} for task_id in task_ids]
    return SystemMessage("background_tasks_changed", {"tasks": tasks})


ANYTHING = SystemMessage("status", {})


def states(events: list[Info | AgentProgress], kind: str = "agent") -> list[str]:
    return [event.metadata[kind]["state"] for event in events if isinstance(event, Info)]


def test_the_end_is_told_once_with_what_came_of_it() -> None:
    events = Watched().sees(started(), updated("completed"), notified())
    assert states(events) == ["running", "completed"]
    assert isinstance(events[-1], Info)
    assert events[-1].metadata["agent"]["summary"] == "found it"


def test_an_end_that_is_only_half_told_is_one() -> None:
    events = Watched().sees(started(), updated("killed"), ANYTHING, notified("stopped"))
    assert states(events) == ["running", "stopped"]


def test_a_failure_is_one() -> None:
    assert states(Watched().sees(started(), updated("failed"), notified("failed"))) == ["running", "failed"]


def test_progress_is_live_and_goes_into_the_log_now_and_then() -> None:
    watched = Watched()
    watched.sees(started())
    first = watched.sees(progress(1), progress(2))
    watched.now = NOTED_EVERY_S
    second = watched.sees(progress(3), progress(4))
    assert [type(event) for event in first] == [AgentProgress, AgentProgress]
    assert [type(event) for event in second] == [AgentProgress, Info, AgentProgress]
    assert isinstance(second[1], Info)
    assert second[1].metadata["agent"]["tokens"] == 3


def test_a_command_in_the_foreground_is_none_of_this() -> None:
    events = Watched().sees(started("b", "local_bash", is_backgrounded=False), in_background(), notified(task_id="b"))
    assert events == []


def test_one_that_is_put_into_the_background_is() -> None:
    events = Watched().sees(
        started("b", "local_bash", is_backgrounded=False), in_background("b"), notified(task_id="b")
    )
    assert states(events, "background") == ["running", "completed"]


def test_what_begins_in_the_background_is_told_once() -> None:
    events = Watched().sees(in_background("b"), started("b", "local_bash", is_backgrounded=True), in_background("b"))
    assert states(events, "background") == ["running"]


def test_it_runs_until_its_end_is_taken() -> None:
    watched = Watched()
    watched.sees(started())
    assert watched.agents.is_running("a")
    for _ in watched.agents.events(notified()):
        # Whoever waits for the end finds it in the log, not only on its way.
        assert watched.agents.is_running("a")
    assert not watched.agents.is_running("a")


def test_what_is_left_is_stopped_and_what_had_ended_has_ended() -> None:
    watched = Watched()
    watched.sees(
        started("a"), started("b", "local_bash", is_backgrounded=True), started("c"), updated("completed", "c")
    )
    left = list(watched.agents.left())
    assert [next(iter(info.metadata.values()))["state"] for info in left] == ["stopped", "stopped", "completed"]
    assert "with the task" in left[1].content
    assert list(watched.agents.left()) == []


def test_long_texts_are_cut() -> None:
    events = Watched().sees(started(), notified(summary="x" * 100_000))
    assert len(str(events[-1])) < 3000
