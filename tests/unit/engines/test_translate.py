"""The SDK's messages as events."""

from typing import Any

import pytest
from claude_agent_sdk import (
    AssistantMessage,
    Message,
    RateLimitEvent,
    RateLimitInfo,
    ServerToolUseBlock,
    StreamEvent,
    SystemMessage,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    UserMessage,
)

from glasshouse.contract.events import DurableEvent, LiveEvent, Stamp
from glasshouse.contract.phrase import Language
from glasshouse.engines.claude.translate import Translator

STAMP: Stamp = {"session_id": "s", "task_id": "t", "timestamp": "2026-01-01T00:00:00.000Z"}


def translator(language: Language = "en", named: tuple[str, ...] = (), offline: bool = False) -> Translator:
    return Translator(stamp=lambda: STAMP, language=language, working_dir="/work/a", named_tools=named, offline=offline)


def said(*blocks: Any, message_id: str = "m1", parent: str | None = None, **more: Any) -> AssistantMessage:
    return AssistantMessage(
        content=list(blocks), model="x", message_id=message_id, parent_tool_use_id=parent, uuid="u", **more
    )


def result(tool_use_id: str, content: Any, is_error: bool | None = None) -> UserMessage:
    return UserMessage(content=[ToolResultBlock(tool_use_id, content, is_error)], uuid="u2")


def streamed(parent: str | None = None, **event: Any) -> StreamEvent:
    return StreamEvent(uuid="u", session_id="s", event=event, parent_tool_use_id=parent)


def all_of(translator: Translator, *messages: Message) -> list[Any]:
    events: list[DurableEvent | LiveEvent] = []
    for message in messages:
        events += translator.events(message)
    return events


def test_each_block_of_a_message_is_an_event_that_counts_in_it() -> None:
    events = all_of(
        translator(),
        said(ThinkingBlock("hm", "sig")),
        said(TextBlock("hello")),
        said(ToolUseBlock("c1", "Bash", {"command": "ls"})),
        said(TextBlock("next"), message_id="m2"),
    )

    assert [(e.type, e.message_id, e.block) for e in events] == [
        *(("thinking", "m1", 0), ("text", "m1", 1), ("tool_use", "m1", 2)),
        ("text", "m2", 0),
    ]
    assert {e.uuid for e in events} == {"u"}


def test_a_message_that_comes_with_all_its_blocks_counts_them_too() -> None:
    events = all_of(translator(), said(TextBlock("a"), ToolUseBlock("c1", "Read", {}), ToolUseBlock("c2", "Read", {})))

    assert [e.block for e in events] == [0, 1, 2]


def test_empty_and_unknown_blocks_count_and_are_no_events() -> None:
    events = all_of(translator(), said(ThinkingBlock("", "sig")), said(), said(TextBlock("a")))

    assert [(e.content, e.block) for e in events] == [("a", 2)]


def test_the_stream_tells_the_number_of_a_block_where_there_is_one() -> None:
    events = all_of(
        translator(),
        streamed(type="message_start", message={"id": "m1"}),
        streamed(type="content_block_start", index=3, content_block={"type": "text", "text": ""}),
        streamed(type="content_block_delta", index=3, delta={"type": "text_delta", "text": "he"}),
        streamed(type="content_block_delta", index=3, delta={"type": "text_delta", "text": ""}),
        said(TextBlock("he")),
        streamed(type="content_block_stop", index=3),
        streamed(type="message_stop"),
    )

    assert [(e.type, e.content, e.message_id, e.block) for e in events] == [
        ("text_delta", "he", "m1", 3),
        ("text", "he", "m1", 3),
    ]


def test_pieces_of_a_calls_input_name_the_call() -> None:
    [delta] = all_of(
        translator(),
        streamed(type="message_start", message={"id": "m1"}),
        streamed(type="content_block_start", index=0, content_block={"type": "tool_use", "id": "c1", "name": "Bash"}),
        streamed(type="content_block_delta", index=0, delta={"type": "input_json_delta", "partial_json": '{"a'}),
        streamed(type="content_block_delta", index=0, delta={"type": "signature_delta", "signature": "x"}),
    )

    assert (delta.type, delta.tool_name, delta.tool_use_id, delta.content) == ("tool_input_delta", "Bash", "c1", '{"a')


def test_streams_of_sub_agents_are_kept_apart() -> None:
    events = all_of(
        translator(),
        streamed(type="message_start", message={"id": "m1"}),
        streamed("c1", type="message_start", message={"id": "m2"}),
        streamed("c1", type="content_block_delta", index=0, delta={"type": "text_delta", "text": "sub"}),
        streamed(type="content_block_delta", index=0, delta={"type": "text_delta", "text": "main"}),
    )

    assert [(e.message_id, e.parent_tool_use_id) for e in events] == [("m2", "c1"), ("m1", None)]


def test_a_stream_that_was_joined_in_the_middle_is_passed_over() -> None:
    assert all_of(translator(), streamed(type="content_block_delta", index=0, delta={"type": "text_delta"})) == []


@pytest.mark.parametrize(("language", "content"), [("zh", "调用工具: Bash"), ("en", "Calling tool: Bash")])
def test_a_call_is_told_in_the_servers_language(language: Language, content: str) -> None:
    [event] = all_of(translator(language), said(ToolUseBlock("c1", "Bash", {"command": "ls"})))

    assert (event.content, event.tool_input) == (content, {"command": "ls"})


def test_a_call_of_the_models_own_server_is_a_call() -> None:
    [event] = all_of(translator(), said(ServerToolUseBlock("c1", "web_search", {"query": "x"})))

    assert (event.type, event.tool_name) == ("tool_use", "web_search")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("plain", "plain"),
        (None, ""),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "a\nb"),
        ([{"type": "image", "source": {"media_type": "image/png", "data": "…"}}], "[image image/png]"),
        ([{"type": "tool_reference", "tool_name": "x"}], "[tool_reference]"),
    ],
)
def test_a_result_is_its_text_and_other_things_are_described(content: Any, text: str) -> None:
    call = said(ToolUseBlock("c1", "Read", {}))
    _, event = all_of(translator(), call, result("c1", content))

    assert (event.content, event.tool_name, event.is_error) == (text, "Read", False)


def test_a_result_of_an_unknown_call_has_no_name() -> None:
    [event] = all_of(translator(), result("c9", "x", is_error=True))

    assert (event.tool_name, event.is_error) == (None, True)


@pytest.mark.parametrize(
    ("tool", "tool_input", "files"),
    [
        ("Write", {"file_path": "/work/a/src/x.py"}, ["src/x.py"]),
        ("Edit", {"file_path": "/work/a/../b/x.py"}, ["/work/b/x.py"]),
        ("Edit", {"file_path": "x.py"}, ["x.py"]),
        ("NotebookEdit", {"notebook_path": "/work/a/n.ipynb"}, ["n.ipynb"]),
        ("Read", {"file_path": "/work/a/x.py"}, None),
        ("Write", {}, None),
    ],
)
def test_a_successful_edit_names_its_file(tool: str, tool_input: dict[str, Any], files: list[str] | None) -> None:
    _, event = all_of(translator(), said(ToolUseBlock("c1", tool, tool_input)), result("c1", "ok"))

    assert event.files_changed == files


def test_a_failed_edit_changed_nothing() -> None:
    call = said(ToolUseBlock("c1", "Write", {"file_path": "/work/a/x.py"}))
    _, event = all_of(translator(), call, result("c1", "denied", is_error=True))

    assert event.files_changed is None


def test_words_that_stand_for_an_error_are_no_words_of_the_model() -> None:
    assert all_of(translator(), said(TextBlock("API Error: 400"), error="unknown")) == []


def test_only_the_first_report_of_being_ready_is_told() -> None:
    init = SystemMessage(
        "init", {"model": "m", "tools": ["Read"], "mcp_servers": [{"name": "x", "status": "failed", "source": "user"}]}
    )
    [event] = all_of(translator(offline=True), init, init)

    assert event.metadata["model"] == "m" and event.metadata["offline"] is True
    assert event.metadata["mcp_servers"] == [{"name": "x", "status": "failed"}]


def test_named_tools_that_are_not_there_are_told() -> None:
    init = SystemMessage("init", {"tools": ["Read", "Task"]})
    _, event = all_of(translator(named=("Read", "Agent", "LS", "LS")), init)

    assert event.metadata == {"notice": "tools_not_offered", "tools": ["LS"]}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"subtype": "compact_boundary", "compact_metadata": {"trigger": "auto"}}, "compacted"),
        ({"subtype": "api_retry", "attempt": 2, "max_retries": 10, "retry_delay_ms": 500, "error_status": 529}, "529"),
        ({"subtype": "model_fallback", "original_model": "a", "fallback_model": "b"}, "Another model"),
        ({"subtype": "informational", "content": "{curly} words"}, "{curly} words"),
    ],
)
def test_what_people_should_know_is_a_notice(data: dict[str, Any], words: str) -> None:
    [event] = all_of(translator(), SystemMessage(data["subtype"], {"type": "system", **data}))

    assert words in event.content
    assert event.metadata["notice"] == data["subtype"] and "type" not in event.metadata


def test_a_limit_is_told_only_when_it_is_near() -> None:
    def limit(status: Any) -> RateLimitEvent:
        info = RateLimitInfo(status=status, rate_limit_type="five_hour", raw={"status": status})
        return RateLimitEvent(rate_limit_info=info, uuid="u", session_id="s")

    assert all_of(translator(), limit("allowed")) == []
    [event] = all_of(translator(), limit("rejected"))
    assert event.metadata == {"notice": "rate_limit", "status": "rejected"}


@pytest.mark.parametrize(
    "message",
    [
        SystemMessage("status", {"status": "requesting"}),
        SystemMessage("of_the_future", {"x": 1}),
        UserMessage(content="<local-command-stdout>"),
        UserMessage(content=[TextBlock("[Request interrupted by user]")]),
    ],
)
def test_what_there_is_no_event_for_is_passed_over(message: Message) -> None:
    assert all_of(translator(), message) == []
