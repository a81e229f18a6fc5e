"""What the model says and thinks; while it is being typed, and whole."""

from typing import ClassVar, Literal

from glasshouse.contract.events.base import Event, FromTranscript, Truncated


class Text(FromTranscript):
    type: Literal["text"] = "text"
    truncated: Truncated | None = None


class Thinking(FromTranscript):
    type: Literal["thinking"] = "thinking"
    truncated: Truncated | None = None


class _Delta(Event):
    """A piece of block `block` of message `message_id`; the durable event of that block has the whole."""

    durable: ClassVar[bool] = False
    message_id: str | None = None
    block: int | None = None
    parent_tool_use_id: str | None = None


class TextDelta(_Delta):
    type: Literal["text_delta"] = "text_delta"


class ThinkingDelta(_Delta):
    type: Literal["thinking_delta"] = "thinking_delta"


class ToolInputDelta(_Delta):
    """A piece of the JSON text of a call's input."""

    type: Literal["tool_input_delta"] = "tool_input_delta"
    tool_name: str
    tool_use_id: str
