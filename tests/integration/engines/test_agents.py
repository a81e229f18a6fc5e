"""Sub-agents and background work of the real Claude Code: told as they begin, get on and end; stopped one by one."""

import asyncio
from typing import Any

from tests.integration.engines.house import House, living
from tests.integration.engines.stage import RecordedRun, Stage

from glasshouse.claude_home import SubAgents
from glasshouse.contract.agent import AgentState
from glasshouse.contract.events import AgentProgress, Info, ToolUse
from glasshouse.contract.question import Door, QuestionState
from glasshouse.contract.task import TaskStatus
from glasshouse.core.agents import SessionAgents
from glasshouse.core.directories import Directories
from glasshouse.core.paths import DirectoryGuard
from glasshouse.core.ports import AnsweredBy
from glasshouse.core.visible import VisibleSessions
from glasshouse.testing.memory_sessions import MemorySessions
from glasshouse.testing.offline_model import Call, Say

WAITS = "tail -f /dev/null"


def agent(prompt: str, call_id: str, *, waited_for: bool = True) -> Call:
    told = {"description": prompt, "prompt": prompt, "subagent_type": "general-purpose"}
    return Call("Agent", {**told, "run_in_background": not waited_for}, id=call_id)


def bash(command: str, **more: Any) -> Call:
    return Call("Bash", {"command": command, "description": "x", **more})


def told(run: RecordedRun, kind: str) -> list[dict[str, Any]]:
    return [info.metadata[kind] for info in run.all(Info) if kind in info.metadata]


def of(run: RecordedRun, description: str) -> list[dict[str, Any]]:
    return [report for report in told(run, "agent") if report["description"] == description]


async def test_agents_are_told_with_what_they_did_and_who_began_them(stage: Stage) -> None:
    stage.run((bash("echo one"),), (agent("Below.", "toolu_c"),), Say("First."), prompt="One.")
    stage.run((bash("echo two"),), Say("Second."), prompt="Two.")
    stage.run((bash("echo three"),), Say("Third."), prompt="Below.")
    both = (agent("One.", "toolu_a"), agent("Two.", "toolu_b"))
    run = await stage.do(stage.run(both, Say("Done."), tools=("Agent", "Bash")))

    for description, call_id, steps, summary in (
        ("One.", "toolu_a", 2, "First."),
        ("Two.", "toolu_b", 1, "Second."),
        ("Below.", "toolu_c", 1, "Third."),
    ):
        begun, ended = of(run, description)
        assert (begun["state"], begun["tool_use_id"], begun["type"]) == ("running", call_id, "general-purpose")
        assert (ended["state"], ended["steps"], ended["summary"]) == ("completed", steps, summary)
        assert ended["tokens"] > 0 and ended["duration_ms"] >= 0
    [parent] = {report["parent"] for report in of(run, "Below.")}
    assert parent == of(run, "One.")[0]["agent_id"]
    assert not any("parent" in report for report in (*of(run, "One."), *of(run, "Two.")))


async def test_how_they_get_on_is_passed_on_live(stage: Stage) -> None:
    stage.run((bash("echo one"),), (bash("echo two"),), Say("First."), prompt="One.")
    run = await stage.do(stage.run((agent("One.", "toolu_a"),), Say("Done."), tools=("Agent", "Bash")))

    progress = [event.agent for event in run.shown if isinstance(event, AgentProgress)]
    assert [(report.steps, report.last_tool) for report in progress] == [(1, "Bash"), (2, "Bash")]


async def test_the_task_goes_on_until_agents_in_the_background_have_ended(stage: Stage) -> None:
    stage.run((bash("echo one"),), Say("First."), prompt="One.")
    run = await stage.do(
        stage.run((agent("One.", "toolu_a", waited_for=False),), Say("Begun."), Say("Over."), tools=("Agent", "Bash"))
    )

    begun, ended = of(run, "One.")
    assert (begun["background"], ended["state"]) == (True, "completed")
    assert run.said[-1] == "Over."


async def test_one_is_stopped_and_the_others_and_the_task_go_on(stage: Stage) -> None:
    stage.run((bash(WAITS),), Say("Never."), prompt="One.")
    stage.run((bash("echo two"),), Say("Second."), prompt="Two.")
    both = (agent("One.", "toolu_a"), agent("Two.", "toolu_b"))
    run = stage.run(both, Say("Done."), tools=("Agent", "Bash"))
    doing = asyncio.create_task(stage.do(run))
    await run.until(lambda: any(use.parent_tool_use_id == "toolu_a" for use in run.all(ToolUse)))
    await run.stop_agent(of(run, "One.")[0]["agent_id"])

    assert of(run, "One.")[-1]["state"] == "stopped"
    await doing
    assert of(run, "Two.")[-1]["state"] == "completed"
    assert run.outcome.message == "Done."


async def test_what_one_began_is_stopped_with_it(stage: Stage) -> None:
    stage.run((agent("Below.", "toolu_c"),), Say("Never."), prompt="One.")
    stage.run((bash(WAITS),), Say("Never."), prompt="Below.")
    run = stage.run((agent("One.", "toolu_a"),), bash(WAITS), tools=("Agent", "Bash"))
    doing = asyncio.create_task(stage.do(run))
    await run.until(lambda: bool(of(run, "Below.")))
    await run.stop_agent(of(run, "One.")[0]["agent_id"])
    await run.until(lambda: of(run, "Below.")[-1]["state"] != "running")

    assert of(run, "Below.")[-1]["state"] == "stopped"
    run.stop.set()
    await doing


async def test_to_stop_one_that_has_ended_or_never_was_does_nothing(stage: Stage) -> None:
    stage.run(Say("First."), prompt="One.")
    run = stage.run((agent("One.", "toolu_a"),), bash(WAITS), tools=("Agent", "Bash"))
    doing = asyncio.create_task(stage.do(run))
    await run.until(lambda: "Bash" in [use.tool_name for use in run.all(ToolUse)])
    for agent_id in (of(run, "One.")[0]["agent_id"], "nobody", ""):
        await run.stop_agent(agent_id)

    assert [report["state"] for report in of(run, "One.")] == ["running", "completed"]
    run.stop.set()
    await doing


async def test_a_command_in_the_background_is_told_and_stopped_with_its_task(stage: Stage) -> None:
    run = await stage.do(
        stage.run(bash(WAITS, run_in_background=True), bash("echo seen"), Say("Begun."), tools=("Bash",))
    )

    begun, ended = told(run, "background")
    assert (begun["kind"], begun["description"], begun["state"]) == ("local_bash", "x", "running")
    assert (ended["background_id"], ended["state"]) == (begun["background_id"], "stopped")
    assert "with the task" in run.all(Info)[-1].content


async def test_a_command_in_the_background_lives_from_one_turn_to_the_next(stage: Stage) -> None:
    """An agent's end begins another turn of the same task."""
    stage.run((bash("echo one"),), Say("First."), prompt="One.")
    run = await stage.do(
        stage.run(
            bash(WAITS, run_in_background=True),
            (agent("One.", "toolu_a", waited_for=False),),
            Say("Begun."),
            Say("Over."),
            tools=("Agent", "Bash"),
        )
    )

    assert run.said[-1] == "Over."
    infos = [info for info in run.all(Info) if {"agent", "background"} & info.metadata.keys()]
    assert infos[-1].metadata["background"]["state"] == "stopped"


async def test_a_command_in_the_background_that_ends_is_told(stage: Stage) -> None:
    wait = bash("sleep 0.2; echo over", run_in_background=True)
    run = stage.run(wait, bash(WAITS), tools=("Bash",))
    doing = asyncio.create_task(stage.do(run))
    await run.until(lambda: len(told(run, "background")) == 2)

    assert told(run, "background")[1]["state"] == "completed"
    run.stop.set()
    await doing


async def test_one_in_the_background_is_stopped_alone(stage: Stage) -> None:
    run = stage.run(bash(WAITS, run_in_background=True), bash(WAITS), tools=("Bash",))
    doing = asyncio.create_task(stage.do(run))
    await run.until(lambda: len(run.all(ToolUse)) == 2)
    await run.stop_agent(told(run, "background")[0]["background_id"])

    assert told(run, "background")[-1]["state"] == "stopped"
    run.stop.set()
    await doing


async def test_a_stopped_task_takes_its_agents_along(stage: Stage) -> None:
    stage.run((bash(WAITS),), Say("Never."), prompt="One.")
    run = stage.run((agent("One.", "toolu_a"),), Say("Never."), tools=("Agent", "Bash"))
    doing = asyncio.create_task(stage.do(run))
    await run.until(lambda: any(use.parent_tool_use_id == "toolu_a" for use in run.all(ToolUse)))
    run.stop.set()
    await doing

    assert of(run, "One.")[-1]["state"] == "stopped"


async def test_the_files_tell_the_same(stage: Stage) -> None:
    stage.run((bash("echo one"),), (agent("Below.", "toolu_c"),), Say("First."), prompt="One.")
    stage.run((bash("echo three"),), Say("Third."), prompt="Below.")
    run = await stage.do(stage.run((agent("One.", "toolu_a"),), Say("Done."), tools=("Agent", "Bash")))
    kept = await SubAgents(home=stage.home, offline_home=stage.offline_home).of(run.task.session_id)

    assert [agent.description for agent in kept] == ["One.", "Below."]
    for agent_ in kept:
        ended = of(run, agent_.description)[-1]
        for name in ("agent_id", "tool_use_id", "type", "state", "steps", "summary"):
            assert getattr(agent_, name) == ended[name], name
        assert agent_.parent == ended.get("parent")
        assert agent_.usage is not None
        assert agent_.usage.input_tokens > 0 and agent_.usage.output_tokens > 0
        assert agent_.cost_usd is None


def visible_in(house: House) -> VisibleSessions:
    project = house.stage.project
    places = Directories(project, (project,), DirectoryGuard(allowed=(project,)), ())
    return VisibleSessions(store=house.store, sessions=MemorySessions(), directories=places)


async def test_one_that_waits_for_a_permission_is_stopped_and_its_question_goes(stage: Stage) -> None:
    stage.run((bash("touch canary"),), Say("Never."), prompt="One.")
    stage.run((agent("One.", "toolu_a"),), Say("Done."))
    async with living(stage) as house:
        task = await house.admit()
        [question] = await house.asked(task)
        agents = SessionAgents(
            store=house.store,
            files=SubAgents(home=stage.home, offline_home=stage.offline_home),
            visible=visible_in(house),
            execution=house.execution,
            desk=house.desk,
            language="en",
        )
        state = await agents.stop(task.session_id, question.subject["agent_id"], Door.API)
        declined = await house.record(question)
        ended = await house.ended(task)
    assert (state, ended.status) == (AgentState.STOPPED, TaskStatus.COMPLETED)
    # Not taken along by the end of the task, which may be far.
    assert (declined.state, declined.answered_by) == (QuestionState.CANCELLED, AnsweredBy.PERSON)
    assert not (stage.project / "canary").exists()
