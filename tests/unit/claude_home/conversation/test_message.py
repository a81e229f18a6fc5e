"""What a line says as a message."""

from typing import Any

import pytest
from tests.support.transcripts import Library, Written

from glasshouse.contract.message import Message


async def only(library: Library, written: Written) -> dict[str, Any]:
    (message,) = await library.messages(written)
    Message.model_validate(message)
    return message


async def test_a_plain_text_and_a_text_block_are_the_same_message(library: Library) -> None:
    # 000 §3.2.6: both forms of content
    for content in ("hello", [{"type": "text", "text": "hello"}]):
        written = library.new()
        written.prompt(content)
        message = await only(library, written)
        assert message["content"] == [{"type": "text", "text": "hello"}]
        assert (message["role"], message["kind"], message["input_type"]) == ("user", "message", "text")


@pytest.mark.parametrize("content", ["", "  \n", [], None, [{"type": "text", "text": ""}], [{"type": "thinking"}], 3])
async def test_what_says_nothing_is_left_out(library: Library, written: Written, content: Any) -> None:
    written.prompt("hello")
    written.says(content if isinstance(content, list) else [])
    written.user(content)

    assert await library.texts(written) == ["hello"]
    assert (await library.page(written)).total == 1


async def test_blocks_of_a_model_are_said_with_what_belongs_to_them(library: Library, written: Written) -> None:
    blocks = [
        {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
        {"type": "text", "text": "I write."},
        {"type": "tool_use", "id": "t1", "name": "Write", "input": {"file_path": "a"}},
        {"type": "tool_use", "id": "t2", "name": "Read", "input": {}},
    ]
    written.says(blocks, message_id="msg_1", apiBlockIndex=4)
    written.user(
        [
            {"type": "tool_result", "tool_use_id": "t2", "content": [{"type": "text", "text": "read"}]},
            {"type": "tool_result", "tool_use_id": "t1", "content": "no", "is_error": True},
            {"type": "tool_result", "tool_use_id": "t0"},
        ]
    )

    said, results = await library.messages(written)

    assert [block["type"] for block in said["content"]] == ["thinking", "text", "tool_use", "tool_use"]
    assert said["content"][0] == {"type": "thinking", "thinking": "hm"}
    assert (said["message_id"], said["block"], said["model"]) == ("msg_1", 4, "m")
    assert [(block.get("tool_name"), block["is_error"], block["content"]) for block in results["content"]] == [
        ("Read", False, [{"type": "text", "text": "read"}]),
        ("Write", True, "no"),
        (None, False, ""),
    ]
    assert results["input_type"] == "tool_result"


@pytest.mark.parametrize(
    ("text", "input_type"),
    [
        ("<ide_selection>lines 1 to 2</ide_selection>", "ide_selection"),
        ("<ide_opened_file>a.py</ide_opened_file>", "ide_opened_file"),
        ("plain", "text"),
    ],
)
async def test_what_a_person_gave_is_told_apart(library: Library, written: Written, text: str, input_type: str) -> None:
    written.prompt([{"type": "text", "text": text}, {"type": "text", "text": "explain"}])

    assert (await only(library, written))["input_type"] == input_type


async def test_a_message_sent_into_a_running_turn_is_a_persons_message(library: Library, written: Written) -> None:
    written.prompt("hello")
    written.calls("t1")
    written.result("t1")
    written.line("attachment", attachment={"type": "queued_command", "prompt": "and this", "commandMode": "prompt"})
    written.line("attachment", attachment={"type": "queued_command", "prompt": "x", "commandMode": "task-notification"})
    written.says("both")

    messages = await library.messages(written)

    assert [(message["kind"], message["round"]) for message in messages][3:] == [("steered", 1), ("message", 1)]
    assert messages[3]["role"] == "user" and messages[3]["content"] == [{"type": "text", "text": "and this"}]


async def test_rounds_begin_with_what_a_person_asks_and_with_nothing_else(library: Library, written: Written) -> None:
    written.prompt("one")
    written.calls("t1")
    written.result("t1", permissionMode="default")
    written.user("[Request interrupted by user]")
    written.prompt("<task-notification>done</task-notification>", origin={"kind": "task-notification"})
    written.prompt("<glasshouse-answers>yes</glasshouse-answers>")
    written.user("caveat", isMeta=True, permissionMode="default")
    written.prompt("two")

    messages = await library.messages(written)

    assert [(message["kind"], message["round"]) for message in messages] == [
        *[("message", 1)] * 3,
        *[("injected", 1)] * 3,
        ("message", 2),
    ]
    assert (await library.page(written)).rounds == 2


async def test_a_command_that_the_terminal_carries_out_is_a_round(library: Library, written: Written) -> None:
    written.prompt("one")
    written.user("<command-name>/compact</command-name>\n<command-message>compact</command-message>")
    written.user("<local-command-stdout>Compacted</local-command-stdout>")

    assert [message["round"] for message in await library.messages(written)] == [1, 2, 2]


async def test_transcripts_of_before_permission_modes_have_rounds_too(library: Library, written: Written) -> None:
    for text in ("one", "two"):
        written.user(text)
        written.says("yes")

    assert [message["round"] for message in await library.messages(written)] == [1, 1, 2, 2]


async def test_the_engines_own_words_are_not_the_models(library: Library, written: Written) -> None:
    written.prompt()
    written.says("API Error: 529", isApiErrorMessage=True)
    written.line(
        "assistant", message={"model": "<synthetic>", "content": [{"type": "text", "text": "No response requested."}]}
    )

    assert [message["kind"] for message in await library.messages(written)] == ["message", "error", "injected"]


async def test_a_sub_agent_is_read_by_its_name_and_named_by_its_call(library: Library, written: Written) -> None:
    written.prompt()
    written.calls("t1", "Agent")
    written.result("t1", toolUseResult={"agentId": "abc"})
    own = library.new()
    own.path = written.path.with_suffix("") / "subagents" / "agent-abc.jsonl"
    own.path.parent.mkdir(parents=True)
    own.path.with_suffix(".meta.json").write_text('{"toolUseId":"t1","agentType":"Explore","description":"look"}')
    own.user("look", isSidechain=True, agentId="abc")
    own.says("seen", isSidechain=True, agentId="abc")

    page = await library.page(written)
    call, result = (await library.messages(written))[1:]
    inside = await library.messages(written, agent="abc")

    assert [agent.model_dump() for agent in page.agents] == [
        {"agent_id": "abc", "parent_tool_use_id": "t1", "agent_type": "Explore", "description": "look"}
    ]
    assert call["content"][0]["agent_id"] == result["content"][0]["agent_id"] == "abc"
    assert [(message["agent_id"], message["parent_tool_use_id"]) for message in inside] == [("abc", "t1")] * 2
