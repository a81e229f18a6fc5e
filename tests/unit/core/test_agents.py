"""The tree of a session's sub-agents, folded from its events and joined with what files tell."""

from typing import Any

from glasshouse.contract.agent import Agent, AgentState
from glasshouse.contract.events import Complete, CompleteMetadata, Event, Info, ToolUse
from glasshouse.contract.task import TaskStatus
from glasshouse.core.agents import AgentFold, below, joined, tree_of

IDS = {"session_id": "s", "task_id": "t"}


def at(second: int) -> str:
    return f"2026-01-01T00:00:{second:02}.000Z"


def told(second: int, of: str = "agent", **report: Any) -> Info:
    return Info(content="", timestamp=at(second), metadata={of: {"state": "running", **report}}, **IDS)


def step(call: str | None, tool: str = "Bash") -> ToolUse:
    return ToolUse(
        content="", timestamp=at(0), tool_name=tool, tool_input={}, tool_use_id="x", parent_tool_use_id=call, **IDS
    )


def over(second: int, task_id: str = "t") -> Complete:
    metadata = CompleteMetadata(session_id="s", status=TaskStatus.INTERRUPTED, is_error=True)
    return Complete(content="", timestamp=at(second), session_id="s", task_id=task_id, metadata=metadata)


def folded(*events: Event) -> AgentFold:
    fold = AgentFold()
    for event in events:
        fold.see(event)
    return fold


def test_an_agent_has_its_times_and_its_task() -> None:
    fold = folded(told(1, agent_id="a"), told(5, agent_id="a", state="completed", steps=3, summary="done"))
    agent = fold.agents["a"]
    assert (agent.task_id, agent.started_at, agent.ended_at) == ("t", at(1), at(5))
    assert (agent.state, agent.steps, agent.summary, agent.cost_usd) == (AgentState.COMPLETED, 3, "done", None)


def test_its_steps_are_counted_while_it_runs() -> None:
    begun = told(1, agent_id="a", tool_use_id="call")
    agent = folded(begun, step("call", "Read"), step("other"), step(None), step("call", "Write")).agents["a"]
    assert (agent.steps, agent.last_tool) == (2, "Write")


def test_an_older_count_does_not_take_steps_back() -> None:
    begun = told(1, agent_id="a", tool_use_id="call")
    agent = folded(begun, step("call"), step("call"), told(2, agent_id="a", tool_use_id="call", steps=1)).agents["a"]
    assert agent.steps == 2


def test_one_that_is_sent_on_runs_again() -> None:
    fold = folded(told(1, agent_id="a"), told(2, agent_id="a", state="completed"), told(3, agent_id="a"))
    agent = fold.agents["a"]
    assert (agent.state, agent.started_at, agent.ended_at) == (AgentState.RUNNING, at(1), None)


def test_the_end_of_a_task_is_the_end_of_all_that_it_began() -> None:
    """faults: I3 (what a crash left is not shown as running)"""
    fold = folded(told(1, agent_id="a"), told(2, "background", background_id="b", kind="local_bash"), over(9))
    assert (fold.agents["a"].state, fold.agents["a"].ended_at) == (AgentState.STOPPED, at(9))
    assert (fold.background["b"].state, fold.background["b"].ended_at) == (AgentState.STOPPED, at(9))


def test_another_tasks_end_is_not() -> None:
    assert folded(told(1, agent_id="a"), over(9, "another")).agents["a"].state is AgentState.RUNNING


def test_what_had_ended_keeps_its_end() -> None:
    fold = folded(told(1, agent_id="a"), told(2, agent_id="a", state="failed"), over(9))
    assert (fold.agents["a"].state, fold.agents["a"].ended_at) == (AgentState.FAILED, at(2))


def an_agent(agent_id: str, parent: str | None = None, **more: Any) -> Agent:
    return Agent(**{"agent_id": agent_id, "parent": parent, "state": AgentState.COMPLETED, **more})


def shape(agents: list[Agent]) -> dict[str, Any]:
    return {agent.agent_id: shape(agent.agents) for agent in agents}


def test_each_stands_below_the_one_that_began_it() -> None:
    agents = [an_agent("a"), an_agent("b", "a"), an_agent("c", "b"), an_agent("d", "a"), an_agent("e")]
    assert shape(tree_of(agents)) == {"a": {"b": {"c": {}}, "d": {}}, "e": {}}


def test_one_whose_parent_is_not_known_stands_at_the_root() -> None:
    assert shape(tree_of([an_agent("a", "gone"), an_agent("b", "a")])) == {"a": {"b": {}}}


def test_none_is_lost_in_a_circle() -> None:
    """faults: E7"""
    assert shape(tree_of([an_agent("a", "b"), an_agent("b", "a"), an_agent("c", "c")])) == {"a": {}, "b": {}, "c": {}}


def test_a_chain_that_is_too_deep_is_cut() -> None:
    """faults: H3"""
    chain = [an_agent(str(n), str(n - 1) if n else None) for n in range(5000)]
    found = tree_of(chain)
    assert len(found) > 1
    count = 0
    while found:
        count += len(found)
        found = [below for each in found for below in each.agents]
    assert count == 5000


def test_all_that_one_began_are_found_in_a_circle_too() -> None:
    agents = [an_agent("a", "c"), an_agent("b", "a"), an_agent("c", "b"), an_agent("d")]
    assert below({agent.agent_id: agent for agent in agents}, "b") == {"a", "b", "c"}


def test_files_add_what_only_they_know() -> None:
    ours = an_agent("a", state=AgentState.STOPPED, started_at=at(1))
    file = an_agent("a", model="m", summary="said", started_at=at(2))
    elsewhere = an_agent("z", started_at=at(0))
    first, second = joined([ours], [file, elsewhere])
    assert first == elsewhere
    assert (second.state, second.model, second.summary, second.started_at) == (AgentState.STOPPED, "m", "said", at(1))
