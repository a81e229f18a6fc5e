"""The SDK's messages as events. What it has no event for is passed over."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from claude_agent_sdk import (
    AssistantMessage,
    Message,
    ServerToolResultBlock,
    ServerToolUseBlock,
    StreamEvent,
    SystemMessage,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    UserMessage,
)

from glasshouse.contract.events import (
    DurableEvent,
    LiveEvent,
    Stamp,
    Text,
    TextDelta,
    Thinking,
    ThinkingDelta,
    ToolInputDelta,
    ToolResult,
    ToolUse,
)
from glasshouse.contract.phrase import Language, Phrase
from glasshouse.engines.claude import notices
from glasshouse.engines.claude.agents import Agents
from glasshouse.engines.claude.catalogue import not_offered
from glasshouse.engines.claude.changed_files import changed_files

_CALLS = Phrase("调用工具: {tool}", "Calling tool: {tool}")
_IMAGE = Phrase("[图片 {kind}]", "[image {kind}]")
_OTHER = Phrase("[{kind}]", "[{kind}]")


@dataclass
class _Open:
    """The message that is being streamed, and its block that is."""

    message_id: str
    block: int = 0
    tool_name: str = ""
    tool_use_id: str = ""


class Translator:
    """Of one task. It remembers what later messages refer to: calls, and how many blocks of a message there were."""

    def __init__(
        self,
        *,
        stamp: Callable[[], Stamp],
        language: Language,
        working_dir: str,
        named_tools: Sequence[str],
        offline: bool,
        continued: bool = False,
        earlier_calls: Mapping[str, str] | None = None,
    ) -> None:
        """`continued`: another process has begun the task. `earlier_calls`: the tools of its calls, by their ids, whose
        results are still to come."""
        self.agents = Agents(stamp, language)
        self._stamp = stamp
        self._language: Language = language
        self._working_dir = Path(working_dir)
        self._named_tools = named_tools
        self._offline = offline
        self._earlier_calls = earlier_calls or {}
        # Whether the reader has been told what Claude Code this is; each process of a task would tell it again.
        self._ready = continued
        self._calls: dict[str, ToolUseBlock | ServerToolUseBlock] = {}
        self._blocks: dict[str, int] = {}
        self._open: dict[str | None, _Open] = {}

    def events(self, message: Message) -> Iterator[DurableEvent | LiveEvent]:
        yield from self.agents.events(message)
        match message:
            case AssistantMessage():
                yield from self._of_assistant(message)
            case UserMessage():
                yield from self._of_user(message)
            case StreamEvent():
                yield from self._of_stream(message)
            case SystemMessage(subtype="init") if not self._ready:
                self._ready = True
                yield notices.ready(message.data, self._offline, self._stamp(), self._language)
                if missing := not_offered(self._named_tools, message.data.get("tools") or ()):
                    yield notices.not_offered(missing, self._stamp(), self._language)
            case _:
                if notice := notices.notice(message, self._stamp, self._language):
                    yield notice

    # --- whole messages

    def _of_assistant(self, message: AssistantMessage) -> Iterator[DurableEvent]:
        if message.error is not None:
            return  # no words of the model: the task's error says it
        number = self._first_block(message)
        # A block of a kind that the SDK does not know is left out by it.
        self._blocks[message.message_id or ""] = number + max(1, len(message.content))
        for block in message.content:
            place: dict[str, Any] = {
                **self._stamp(),
                "uuid": message.uuid,
                "message_id": message.message_id,
                "block": number,
                "parent_tool_use_id": message.parent_tool_use_id,
            }
            yield from self._of_block(block, place)
            number += 1

    def _first_block(self, message: AssistantMessage) -> int:
        streamed = self._open.get(message.parent_tool_use_id)
        # A block comes whole before its stream is closed.
        if streamed is not None and streamed.message_id == message.message_id and len(message.content) == 1:
            return streamed.block
        return self._blocks.get(message.message_id or "", 0)

    def _of_block(self, block: object, place: dict[str, Any]) -> Iterator[DurableEvent]:
        match block:
            case TextBlock(text=text) if text:
                yield Text(content=text, **place)
            case ThinkingBlock(thinking=text) if text:
                yield Thinking(content=text, **place)
            case ToolUseBlock() | ServerToolUseBlock():
                self._calls[block.id] = block
                content = _CALLS.say(self._language, tool=block.name)
                yield ToolUse(
                    content=content, tool_name=block.name, tool_input=block.input, tool_use_id=block.id, **place
                )
            case ToolResultBlock() | ServerToolResultBlock():
                yield self._result(block, place)

    def _of_user(self, message: UserMessage) -> Iterator[DurableEvent]:
        if isinstance(message.content, str):
            return
        for block in message.content:
            if isinstance(block, ToolResultBlock):
                parent = message.parent_tool_use_id
                yield self._result(block, {**self._stamp(), "uuid": message.uuid, "parent_tool_use_id": parent})

    def _result(self, block: ToolResultBlock | ServerToolResultBlock, place: dict[str, Any]) -> ToolResult:
        call = self._calls.get(block.tool_use_id)
        is_error = isinstance(block, ToolResultBlock) and bool(block.is_error)
        return ToolResult(
            content=self._text_of(block.content),
            tool_name=self._earlier_calls.get(block.tool_use_id) if call is None else call.name,
            tool_use_id=block.tool_use_id,
            is_error=is_error,
            files_changed=None if call is None or is_error else changed_files(call, self._working_dir),
            **place,
        )

    def _text_of(self, content: object) -> str:
        if isinstance(content, str):
            return content
        if isinstance(content, dict):
            content = [content]
        return "\n".join(self._text_of_part(part) for part in content) if isinstance(content, list) else ""

    def _text_of_part(self, part: object) -> str:
        if not isinstance(part, dict):
            return str(part)
        if part.get("type") == "text":
            return str(part.get("text", ""))
        if part.get("type") == "image":
            source = part.get("source")
            kind = source.get("media_type", "") if isinstance(source, dict) else ""
            return _IMAGE.say(self._language, kind=kind)
        return _OTHER.say(self._language, kind=part.get("type", "?"))

    # --- while they are being typed

    def _of_stream(self, message: StreamEvent) -> Iterator[LiveEvent]:
        event = message.event
        parent = message.parent_tool_use_id
        if event.get("type") == "message_start":
            self._open[parent] = _Open(str(event["message"]["id"]))
        if (streamed := self._open.get(parent)) is None:
            return
        if event.get("type") == "content_block_start":
            block = event["content_block"]
            streamed.block = int(event["index"])
            streamed.tool_name, streamed.tool_use_id = str(block.get("name", "")), str(block.get("id", ""))
        elif event.get("type") == "content_block_delta":
            yield from self._of_delta(event["delta"], streamed, parent)
        elif event.get("type") == "message_stop":
            del self._open[parent]

    def _of_delta(self, delta: dict[str, Any], streamed: _Open, parent: str | None) -> Iterator[LiveEvent]:
        place: dict[str, Any] = {
            **self._stamp(),
            "message_id": streamed.message_id,
            "block": streamed.block,
            "parent_tool_use_id": parent,
        }
        match delta:
            case {"type": "text_delta", "text": str(text)} if text:
                yield TextDelta(content=text, **place)
            case {"type": "thinking_delta", "thinking": str(text)} if text:
                yield ThinkingDelta(content=text, **place)
            case {"type": "input_json_delta", "partial_json": str(text)} if text:
                tool = {"tool_name": streamed.tool_name, "tool_use_id": streamed.tool_use_id}
                yield ToolInputDelta(content=text, **tool, **place)
