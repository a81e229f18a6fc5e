"""Messages to a task under way, on the real Claude Code: steering, queued, while a person is asked, at the very end."""

import json
from typing import Any

import pytest
from tests.integration.engines.house import House, living
from tests.integration.engines.stage import Stage
from tests.integration.engines.test_questions import asks, no_process, plays

from glasshouse.contract import errors
from glasshouse.contract.task import TaskStatus
from glasshouse.core.ports import TaskRecord
from glasshouse.engines.claude.drive import Drive
from glasshouse.engines.claude.process import ClaudeProcess
from glasshouse.testing.offline_model import Call, Say, played
from glasshouse.testing.offline_model.reply import Fail, Pause

WORDS = ["accepted", "delivered", "consumed"]


def waits(stage: Stage, id: str = "toolu_w") -> Call:
    """A tool that runs until it is told to go on."""
    command = f"until [ -e {stage.root}/go ]; do sleep 0.05; done; echo went on"
    return Call("Bash", {"command": command, "description": "wait"}, id=id)


def goes_on(stage: Stage) -> None:
    (stage.root / "go").touch()


def last_words(stage: Stage, count: int = 1) -> str:
    """The end of the conversation that the model was last given."""
    return json.dumps(stage.asked[-1]["messages"][-count:], ensure_ascii=False)


async def result(house: House, task: TaskRecord) -> str:
    ended = await house.ended(task)
    assert ended.status is TaskStatus.COMPLETED and ended.result is not None, ended
    return ended.result.message


async def test_a_steering_message_joins_the_turn_after_its_current_tool(stage: Stage) -> None:
    plays(stage, (waits(stage),), Say("Done, with that in mind."))
    async with living(stage) as house:
        task = await house.admit(tools=("Bash",))
        await house.until_calls(task)
        message = await house.say(task, "Mind the gap.")
        await house.until_queued_in_claude_code(task, "Mind the gap.")
        goes_on(stage)

        assert await result(house, task) == "Done, with that in mind."
        assert await house.receipts(task, message) == WORDS
        order = [
            event["metadata"].get("receipt", "") if event["type"] == "info" else event["type"]
            for event in await house.events(task)
        ]
        assert order.index("tool_result") < order.index("consumed") < order.index("text")
        heard = last_words(stage, 2)
        assert heard.index("went on") < heard.index("Mind the gap.")
        [accepted] = [e for e in await house.events(task, "info") if e["metadata"].get("message")]
        said = accepted["metadata"]["message"]
        assert (said["content"], said["mode"]) == ("Mind the gap.", "steer")
        attachments = [line.get("attachment") or {} for line in house.transcript(task)]
        assert said["uuid"] in [each.get("source_uuid") for each in attachments]


async def test_a_queued_message_is_a_turn_of_its_own_and_the_task_ends_after_it(stage: Stage) -> None:
    plays(stage, (waits(stage),), Say("First done."))
    stage.scripts.append(played("And then this.", Say("Second done.")))
    async with living(stage) as house:
        task = await house.admit(tools=("Bash",))
        await house.until_calls(task)
        message = await house.say(task, "And then this.", "queue")
        goes_on(stage)

        assert await result(house, task) == "Second done."
        assert await house.receipts(task, message) == WORDS
        assert [event["content"] for event in await house.events(task, "text")] == ["First done.", "Second done."]
        assert len(await house.events(task, "complete")) == 1
        ended = await house.ended(task)
        assert ended.result is not None and ended.result.num_turns == 3


async def test_fifty_messages_at_once_keep_their_order_and_each_is_a_turn(stage: Stage) -> None:
    texts = [f"Number {number}." for number in range(50)]
    plays(stage, (waits(stage),), Say("First done."))
    stage.scripts.extend(played(text, Say(f"Heard: {text}")) for text in texts)
    async with living(stage) as house:
        task = await house.admit(tools=("Bash",))
        await house.until_calls(task)
        ids = [await house.say(task, text, "queue") for text in texts]
        goes_on(stage)

        await result(house, task)
        said = [event["content"] for event in await house.events(task, "text")]
        assert said == ["First done.", *(f"Heard: {text}" for text in texts)]
        assert [await house.receipts(task, each) for each in ids] == [WORDS] * 50


async def test_many_that_steer_join_one_turn_in_their_order(stage: Stage) -> None:
    texts = [f"Also number {number}." for number in range(20)]
    plays(stage, (waits(stage),), Say("All in mind."))
    async with living(stage) as house:
        task = await house.admit(tools=("Bash",))
        await house.until_calls(task)
        ids = [await house.say(task, text) for text in texts]
        await house.until_queued_in_claude_code(task, texts[-1])
        goes_on(stage)

        assert await result(house, task) == "All in mind."
        heard = json.dumps(stage.asked[-1]["messages"])
        places = [heard.index(text) for text in texts]
        assert places == sorted(places)
        assert [await house.receipts(task, each) for each in ids] == [WORDS] * 20


@pytest.mark.parametrize(
    "text",
    [
        "1 < 2 && a > b; <T> &lt; `touch canary` $(touch canary)",
        "  indented\n\ttab and \"quotes\" 'too' \\ \u2028 \u0085 end  ",
        "你好，世界 🌍 مرحبا بالعالم e\u0301",
        "字" * 10_000,
    ],
    ids=["code", "space", "scripts", "long"],
)
@pytest.mark.parametrize("mode", ["steer", "queue"])
async def test_a_message_reaches_the_model_byte_for_byte(stage: Stage, mode: str, text: str) -> None:
    # faults: C1 C7
    plays(stage, (waits(stage),), Say("Done."))
    async with living(stage) as house:
        task = await house.admit(tools=("Bash",))
        await house.until_calls(task)
        await house.say(task, text, mode)
        if mode == "steer":
            await house.until_queued_in_claude_code(task, text)
        goes_on(stage)
        await result(house, task)

        texts = [part for body in stage.asked for part in _texts(body["messages"])]
        assert any(part == text or f"\n{text}\n" in part for part in texts)
        [accepted] = [e for e in await house.events(task, "info") if e["metadata"].get("message")]
        assert accepted["metadata"]["message"]["content"] == text
        assert not list(stage.project.glob("canary"))


def _texts(messages: list[dict[str, Any]]) -> list[str]:
    contents = [message["content"] for message in messages]
    blocks = [block for content in contents for block in (content if isinstance(content, list) else [])]
    return [*(each for each in contents if isinstance(each, str)), *(b["text"] for b in blocks if "text" in b)]


async def test_a_message_beside_a_question_waits_and_the_question_is_not_lost(stage: Stage) -> None:
    plays(stage, (Say("I ask."), asks("Colour?")), (waits(stage),), Say("Red, and minded."))
    async with living(stage) as house:
        task = await house.admit(tools=("Bash",))
        [question] = await house.asked(task)
        await house.until_left(task)
        message = await house.say(task, "Mind the gap.")
        assert no_process(house)
        await house.answer(question, "Red")
        await house.until_queued_in_claude_code(task, "Mind the gap.")
        goes_on(stage)

        assert await result(house, task) == "Red, and minded."
        assert await house.receipts(task, message) == WORDS
        assert '"Colour?"="Red"' in (await house.results(task))["toolu_q"]
        assert (await house.record(question)).way == "resumed"


async def test_a_question_takes_back_what_is_on_its_way_and_holds_no_process(stage: Stage) -> None:
    """Claude Code would begin a turn with it as soon as the question lets the process go, and forget the question."""
    plays(stage, (Say("Let me think."), Pause(3), asks("Colour?")), (waits(stage),), Say("Red, and minded."))
    async with living(stage) as house:
        task = await house.admit(tools=("Bash",))
        message = await house.say(task, "Mind the gap.")
        await house.until_queued_in_claude_code(task, "Mind the gap.")
        [question] = await house.asked(task)
        await house.until_left(task)
        assert no_process(house)
        assert await house.receipts(task, message) == ["accepted", "delivered"]
        await house.answer(question, "Red")
        await house.until_calls(task, 2)
        goes_on(stage)

        assert await result(house, task) == "Red, and minded."
        assert await house.receipts(task, message) == WORDS
        assert '"Colour?"="Red"' in (await house.results(task))["toolu_q"]
        assert (await house.record(question)).way == "resumed"
        assert json.dumps(stage.asked[-1]["messages"]).count("Mind the gap.") == 1


async def test_where_it_cannot_be_taken_back_the_question_waits_with_its_process(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def not_known(_: ClaudeProcess, __: str) -> bool:
        return False

    monkeypatch.setattr(ClaudeProcess, "withdraw", not_known)
    plays(stage, (Say("Let me think."), Pause(3), asks("Colour?")), Say("Red, and minded."))
    async with living(stage) as house:
        task = await house.admit()
        message = await house.say(task, "Mind the gap.")
        await house.until_queued_in_claude_code(task, "Mind the gap.")
        [question] = await house.asked(task)
        assert not no_process(house)
        await house.answer(question, "Red")

        assert await result(house, task) == "Red, and minded."
        assert await house.receipts(task, message) == WORDS
        assert (await house.record(question)).way == "live"


async def test_a_message_while_a_permission_is_asked_outlives_its_process(stage: Stage) -> None:
    writes = Call("Bash", {"command": f"echo one >> {stage.root}/ledger", "description": "note"})
    plays(stage, (writes,), (writes,), Say("Done, minded."))
    async with living(stage, hot_s=0.5) as house:
        task = await house.admit()
        [question] = await house.asked(task)
        message = await house.say(task, "Mind the gap.")
        await house.until_left(task)
        assert (await house.receipts(task, message))[-1] != "consumed"
        await house.answer(question, "allow")

        await result(house, task)
        assert (await house.receipts(task, message))[-1] == "consumed"
        assert "Mind the gap." in json.dumps([body["messages"] for body in stage.asked])
        assert (stage.root / "ledger").read_text() == "one\n"


async def test_a_message_to_a_task_in_the_line_waits_for_its_turn(stage: Stage) -> None:
    plays(stage, (waits(stage),), Say("First done."))
    stage.scripts.append(played("Second.", Say("Second done.")))
    stage.scripts.append(played("And this.", Say("Third done.")))
    async with living(stage) as house:
        first = await house.admit(tools=("Bash",))
        await house.until_calls(first)
        second = await house.admit("Second.", session_id=first.session_id)
        message = await house.say(second, "And this.", "queue")
        goes_on(stage)

        assert await result(house, second) == "Third done."
        assert await house.receipts(second, message) == WORDS
        assert await house.receipts(first, message) == []


async def test_a_message_that_comes_as_the_process_leaves_is_served(stage: Stage, monkeypatch: Any) -> None:
    plays(stage, Say("First done."))
    stage.scripts.append(played("One more thing.", Say("Second done.")))
    async with living(stage) as house:
        ids: list[str] = []
        inner = Drive._end

        async def end(drive: Any, *given: Any) -> None:
            if not ids:
                ids.append(await house.say(task, "One more thing.", "steer"))
            await inner(drive, *given)

        monkeypatch.setattr(Drive, "_end", end)
        task = await house.admit()

        assert await result(house, task) == "Second done."
        assert await house.receipts(task, ids[0]) == WORDS
        assert len(await house.events(task, "complete")) == 1


async def test_a_task_that_is_stopped_refuses_what_it_has_not_taken(stage: Stage) -> None:
    plays(stage, (waits(stage),), Say("Never."))
    async with living(stage) as house:
        task = await house.admit(tools=("Bash",))
        await house.until_calls(task)
        steering, queued = await house.say(task, "Mind the gap."), await house.say(task, "And then this.", "queue")
        await house.until_queued_in_claude_code(task, "Mind the gap.")
        await house.execution.stop(task.task_id)

        assert await house.receipts(task, steering) == ["accepted", "delivered", "refused"]
        assert await house.receipts(task, queued) == ["accepted", "refused"]
        events = await house.events(task)
        assert events[-1]["type"] == "complete"
        refused = [e["metadata"]["reason"] for e in events if e.get("metadata", {}).get("receipt") == "refused"]
        assert refused == ["the task was stopped first"] * 2
        with pytest.raises(errors.TaskEnded):
            await house.say(task, "Too late.")


async def test_a_task_that_fails_refuses_what_waits(stage: Stage) -> None:
    plays(stage, (waits(stage),), Fail(400, "invalid_request_error", "as told"))
    async with living(stage) as house:
        task = await house.admit(tools=("Bash",))
        await house.until_calls(task)
        queued = await house.say(task, "And then this.", "queue")
        goes_on(stage)

        assert (await house.ended(task)).status is TaskStatus.FAILED
        assert await house.receipts(task, queued) == ["accepted", "refused"]


# --- another mode, another model


async def test_another_model_is_asked_from_the_next_request_on(stage: Stage) -> None:
    plays(stage, (waits(stage),), Say("Done."))
    async with living(stage) as house:
        task = await house.admit(tools=("Bash",))
        await house.until_calls(task)
        record = await house.change(task, model="claude-haiku-4-5")
        assert record.receipt == "consumed"
        goes_on(stage)
        await result(house, task)

        models = [body["model"] for body in stage.asked if body.get("tools")]
        assert models[0] != "claude-haiku-4-5" and models[-1] == "claude-haiku-4-5"
        told = [event["metadata"] for event in await house.events(task, "info") if "change" in event["metadata"]]
        assert [each["receipt"] for each in told] == ["accepted", "consumed"]
        assert told[-1]["change"] == {"permission_mode": None, "model": "claude-haiku-4-5"}


def writing(stage: Stage, name: str) -> Call:
    return Call("Write", {"file_path": f"{stage.project}/{name}", "content": "x"}, id=f"toolu_{name}")


async def test_a_mode_that_accepts_edits_asks_for_none_from_there_on(stage: Stage) -> None:
    plays(stage, (writing(stage, "one"),), (writing(stage, "two"),), Say("Done."))
    async with living(stage) as house:
        task = await house.admit()
        [question] = await house.asked(task)
        assert (await house.change(task, permission_mode="acceptEdits")).receipt == "consumed"
        await house.answer(question, "allow")

        await result(house, task)
        assert len(await house.questions(task)) == 1
        assert (stage.project / "one").exists() and (stage.project / "two").exists()


async def test_plan_mode_keeps_named_tools_from_running_from_there_on(stage: Stage) -> None:
    touches = Call("Bash", {"command": f"touch {stage.project}/canary", "description": "t"}, id="toolu_t")
    plays(stage, (waits(stage),), (touches,), Say("Planned."))
    async with living(stage) as house:
        task = await house.admit(tools=("Bash",))
        await house.until_calls(task)
        assert (await house.change(task, permission_mode="plan")).receipt == "consumed"
        goes_on(stage)

        assert await result(house, task) == "Planned."
        assert not (stage.project / "canary").exists()
        assert "plan mode" in (await house.results(task))["toolu_t"]


async def test_out_of_plan_mode_named_tools_run_and_others_ask(stage: Stage) -> None:
    touches = Call("Bash", {"command": f"touch {stage.project}/canary", "description": "t"}, id="toolu_t")
    reads = Call("Read", {"file_path": f"{stage.project}/file"})
    (stage.project / "file").write_text("x")
    plays(stage, (asks("Shall I?"),), (reads,), (touches,), Say("Done."))
    async with living(stage) as house:
        task = await house.admit(tools=("Bash", "Read"), permission_mode="plan")
        [question] = await house.asked(task)
        await house.until_left(task)
        assert (await house.change(task, permission_mode="default")).receipt == "accepted"
        await house.answer(question, "Red")

        await result(house, task)
        assert (stage.project / "canary").exists()
        told = [event["metadata"] for event in await house.events(task, "info") if "change" in event["metadata"]]
        assert [each["receipt"] for each in told] == ["accepted", "consumed"]


async def test_what_claude_code_refuses_is_refused_and_nothing_changes(stage: Stage) -> None:
    plays(stage, (waits(stage),), (writing(stage, "one"),), Say("Done."))
    async with living(stage) as house:
        task = await house.admit(tools=("Bash",))
        await house.until_calls(task)
        record = await house.change(task, permission_mode="bypassPermissions")
        assert record.receipt == "refused" and "bypassPermissions" in (record.reason or "")
        goes_on(stage)
        await result(house, task)
        assert not (stage.project / "one").exists()


async def test_where_it_is_allowed_a_running_task_may_be_told_to_ask_for_nothing(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Claude Code refuses that to root, but in a container of its own.
    monkeypatch.setenv("IS_SANDBOX", "1")
    environment = {"ANTHROPIC_API_KEY": stage.endpoint.key, "IS_SANDBOX": "1"}
    engine = stage.engine(allow_bypass=True, environment=environment)
    plays(stage, (writing(stage, "one"),), (writing(stage, "two"),), Say("Done."))
    async with living(stage, engine=engine) as house:
        task = await house.admit()
        [question] = await house.asked(task)
        assert (await house.change(task, permission_mode="bypassPermissions")).receipt == "consumed"
        await house.answer(question, "allow")

        await result(house, task)
        assert len(await house.questions(task)) == 1 and (stage.project / "two").exists()


@pytest.mark.parametrize("mode", ["steer", "queue"])
@pytest.mark.parametrize("command", ["/cost", "/no-such-command", "/compact", "/clear", "@nothing"])
async def test_a_command_of_claude_codes_as_a_message_ends_too(stage: Stage, mode: str, command: str) -> None:
    plays(stage, (waits(stage),), Say("First done."))
    async with living(stage) as house:
        task = await house.admit(tools=("Bash",))
        await house.until_calls(task)
        message = await house.say(task, command, mode)
        await house.until_receipt(task, message, "delivered" if mode == "steer" else "accepted")
        goes_on(stage)

        await house.ended(task)
        assert (await house.receipts(task, message))[-1] == "consumed"
