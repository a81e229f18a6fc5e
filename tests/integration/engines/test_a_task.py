"""Tasks on the real Claude Code, from the prompt to the outcome."""

import asyncio
from collections import defaultdict

from tests.integration.engines.stage import QUESTIONS, Stage

from glasshouse.contract.events import Text, TextDelta, Thinking, ThinkingDelta, ToolInputDelta, ToolResult, ToolUse
from glasshouse.contract.task import Failure
from glasshouse.testing.offline_model import Call, Fail, Say, Think


async def test_a_text_answer_is_an_event_and_the_outcome(stage: Stage) -> None:
    run = await stage.do(stage.run(Say("It is done.")))

    assert run.outcome.message == "It is done."
    assert run.outcome.failure is None and not run.outcome.stopped
    assert run.outcome.num_turns == 1
    assert run.said == ["It is done."]
    assert run.heard > 0


async def test_the_model_gets_claude_codes_own_system_prompt(stage: Stage) -> None:
    await stage.do(stage.run(Say("Yes.")))

    prompt = "".join(part["text"] for part in stage.asked[-1]["system"])
    assert "You are an agent working with the user toward their goals" in prompt
    assert len(prompt) > 5_000


async def test_the_second_info_brings_what_claude_code_reports(stage: Stage) -> None:
    run = await stage.do(stage.run(Say("Yes."), tools=("Read",)))

    assert run.reported["session_id"] == run.task.session_id
    assert run.reported["working_dir"] == str(stage.project)
    assert set(run.reported["tools"]) == {"Read", *QUESTIONS}
    assert [server["name"] for server in run.reported["mcp_servers"]] == ["glasshouse"]
    assert run.reported["permission_mode"] == "default"
    assert run.reported["model"] and run.reported["claude_code_version"]
    assert "offline" not in run.reported


async def test_calls_and_their_results_are_joined_and_changed_files_named(stage: Stage) -> None:
    target = stage.project / "made" / "by.txt"
    run = await stage.do(
        stage.run(
            (Think("First the file."), Say("I write."), Call("Write", {"file_path": str(target), "content": "x"})),
            (Call("Bash", {"command": "cat made/by.txt; exit 3", "description": "show"}, id="toolu_b"),),
            Say("Over."),
            tools=("Write", "Bash"),
        )
    )

    kinds = [event.type for event in run.events if event.type != "info"]
    assert kinds == ["thinking", "text", "tool_use", "tool_result", "tool_use", "tool_result", "text"]
    [wrote, shown] = run.all(ToolResult)
    assert (wrote.tool_name, wrote.is_error, wrote.files_changed) == ("Write", False, ["made/by.txt"])
    assert (shown.tool_name, shown.is_error, shown.tool_use_id) == ("Bash", True, "toolu_b")
    assert shown.files_changed is None and "x" in shown.content
    assert [use.content for use in run.all(ToolUse)] == ["Calling tool: Write", "Calling tool: Bash"]
    assert all(event.uuid for event in (*run.all(ToolUse), *run.all(ToolResult), *run.all(Text)))
    assert target.read_text() == "x"


async def test_several_calls_of_one_message_have_its_id_and_count_its_blocks(stage: Stage) -> None:
    commands = [Call("Bash", {"command": f"echo {word}", "description": word}) for word in ("one", "two", "three")]
    run = await stage.do(stage.run((Say("Three."), *commands), Say("Over."), tools=("Bash",)))

    uses = run.all(ToolUse)
    assert len({use.message_id for use in uses}) == 1
    assert [use.block for use in uses] == [1, 2, 3]
    assert {(result.tool_use_id, result.content) for result in run.all(ToolResult)} == {
        (use.tool_use_id, word) for use, word in zip(uses, ("one", "two", "three"), strict=True)
    }


async def test_deltas_of_a_block_make_up_its_durable_event(stage: Stage) -> None:
    say = Say("Quite a number of words, so that there are several pieces.")
    calls = [Call("Bash", {"command": f"echo {n}", "description": "count"}) for n in range(2)]
    run = await stage.do(
        stage.run((Think("A thought of some length."), say, *calls), Say("Over."), tools=("Bash",), deltas=True)
    )

    typed: dict[tuple[str | None, int | None], str] = defaultdict(str)
    for delta in run.shown:
        assert isinstance(delta, TextDelta | ThinkingDelta | ToolInputDelta)
        typed[delta.message_id, delta.block] += delta.content
    whole = {(e.message_id, e.block): e for e in run.events if isinstance(e, Text | Thinking | ToolUse)}
    assert typed.keys() == whole.keys() and len(whole) == 5
    for place, event in whole.items():
        if isinstance(event, ToolUse):
            assert str(event.tool_input["command"]) in typed[place]
        else:
            assert typed[place] == event.content


async def test_without_being_asked_for_there_are_no_deltas(stage: Stage) -> None:
    assert (await stage.do(stage.run(Say("Yes.")))).shown == []


async def test_a_sub_agents_events_name_the_call_that_began_it(stage: Stage) -> None:
    prompt = "Look around."
    stage.run((Say("Inside."), Call("Bash", {"command": "echo sub", "description": "x"})), Say("Found."), prompt=prompt)
    agent = Call("Agent", {"description": "look", "prompt": prompt, "subagent_type": "general-purpose"}, id="toolu_a")
    run = await stage.do(stage.run((agent,), Say("Waiting."), tools=("Agent", "Bash")))

    inside = [event for event in run.all(Text) if event.parent_tool_use_id == "toolu_a"]
    assert [event.content for event in inside] == ["Inside.", "Found."]
    [result] = [r for r in run.all(ToolResult) if r.tool_name == "Bash"]
    assert (result.content, result.parent_tool_use_id) == ("sub", "toolu_a")


async def test_a_session_remembers_and_each_task_has_its_own_cost(stage: Stage) -> None:
    first = await stage.do(stage.run(Say("I keep the word swordfish.")))
    second = await stage.do(stage.run(Say("Swordfish it was."), prompt="What was it?", after=first))

    assert "swordfish" in str(stage.asked[-1]["messages"])
    assert second.reported["session_id"] == first.task.session_id
    assert second.said == ["Swordfish it was."]
    assert first.outcome.cost_usd and second.outcome.cost_usd
    total = (second.outcome.engine_state or {})["total_cost_usd"]
    assert abs(total - first.outcome.cost_usd - second.outcome.cost_usd) < 1e-9
    assert (first.outcome.num_turns, second.outcome.num_turns) == (1, 1)


async def test_a_session_goes_on_although_its_first_task_was_stopped(stage: Stage) -> None:
    call = Call("Bash", {"command": "tail -f /dev/null", "description": "wait"})
    first = stage.run((Say("I begin."), call), tools=("Bash",))
    engine = stage.engine()
    doing = asyncio.create_task(stage.do(first, engine))
    await first.until_told(ToolUse)
    first.stop.set()
    await doing

    second = await stage.do(stage.run(Say("Here I am."), prompt="Still there?", after=first), engine)

    assert second.outcome.failure is None
    assert "I begin." in str(stage.asked[-1]["messages"])


async def test_the_last_turn_allowed_fails_the_task(stage: Stage) -> None:
    call = (Call("Bash", {"command": "echo on", "description": "x"}),)
    run = await stage.do(stage.run(call, call, call, tools=("Bash",), max_turns=1))

    assert run.outcome.failure is Failure.MAX_TURNS_REACHED


async def test_an_api_error_fails_the_task_with_the_models_words(stage: Stage) -> None:
    run = await stage.do(stage.run(Fail(400, "invalid_request_error", "not like this")))

    assert run.outcome.failure is Failure.ENGINE_FAILED
    assert "not like this" in run.outcome.message
    assert run.said == []


async def test_rejected_credentials_end_the_task_soon_and_say_how_to_give_some(stage: Stage) -> None:
    run = await stage.do(stage.run(Fail(401, "authentication_error", "invalid x-api-key")))

    assert run.outcome.failure is Failure.NO_CREDENTIALS
    assert "ANTHROPIC_API_KEY" in run.outcome.message
    assert run.noticed("api_retry").metadata["error_status"] == 401
