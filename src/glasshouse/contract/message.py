"""A message of a conversation, as history shows it: one line of the engine's transcript, in one form."""

from typing import Any, Literal

from pydantic import BaseModel, Field

MessageKind = Literal["message", "steered", "injected", "error", "summary", "compaction"]
InputType = Literal["text", "tool_result", "ide_selection", "ide_opened_file"]


class Shortened(BaseModel):
    """A string that was cut: its size whole, in bytes."""

    bytes: int
    sha256: str | None = Field(None, description="Under which `/api/blobs` has it, where it is from our own log.")


class Compaction(BaseModel):
    """The conversation was summed up here: what stands before it is no longer in the model's memory."""

    trigger: str | None = None
    pre_tokens: int | None = None


class Message(BaseModel):
    role: Literal["user", "assistant", "system"]
    kind: MessageKind = Field(
        description="`message`; `steered`: sent into a running turn; `injected`: put among a person's words by the "
        "engine or by Glasshouse; `error`: the engine's word for a failed request; `summary`: of what a compaction "
        "took away; `compaction`: the boundary itself (role system)."
    )
    content: list[dict[str, Any]] = Field(
        description="Blocks: `text {text}`, `thinking {thinking}`, `tool_use {id, name, input}`, `tool_result "
        "{tool_use_id, tool_name, content, is_error}`, and others as the model's API has them. A plain text is one "
        "text block."
    )
    timestamp: str | None = None
    uuid: str
    parentUuid: str | None = None
    message_id: str | None = Field(None, description="The model's; its blocks may be several messages here.")
    block: int | None = Field(None, description="Which block of `message_id` the first one here is.")
    round: int = Field(description="From 1; 0 before a person's first words.")
    input_type: InputType | None = Field(None, description="Of a user's message.")
    model: str | None = None
    agent_id: str | None = None
    parent_tool_use_id: str | None = Field(None, description="The call that started the sub-agent that speaks.")
    compaction: Compaction | None = None
    truncated: dict[str, Shortened] | None = Field(None, description="By JSON pointer.")


class ConversationAgent(BaseModel):
    """A sub-agent, or a side chain: read with `?agent=`."""

    agent_id: str
    parent_tool_use_id: str | None = None
    agent_type: str | None = None
    description: str | None = None


class Damage(BaseModel):
    """Lines that hold no record, or more than that; they are passed over."""

    lines: int
    first_line: int


class MessagePage(BaseModel):
    messages: list[Message]
    next_cursor: str | None
    total: int
    rounds: int
    agents: list[ConversationAgent]
    damaged: Damage | None = None
