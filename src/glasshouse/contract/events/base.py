"""What every event has, and the two declarations that every event makes: its tag, and durable or live."""

from typing import Any, ClassVar, TypedDict

from pydantic import BaseModel, ConfigDict, Field


class Stamp(TypedDict):
    """Whose event it is and when it happened; the running task gives it to its engine."""

    session_id: str
    task_id: str
    timestamp: str


class Cut(BaseModel):
    """A string that was cut: its size whole, in bytes of UTF-8, and where `/api/blobs` has it."""

    bytes: int
    sha256: str


class Event(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    # Durable events are numbered and kept; live ones are passed on and forgotten, and every run of
    # them ends in a durable event that carries the whole.
    durable: ClassVar[bool] = True

    content: str = Field(description="For people, in the server's language where it is our own text.")
    timestamp: str = Field(description="UTC, ISO 8601 with milliseconds and Z.")
    session_id: str
    task_id: str | None = Field(description="None for what belongs to the session and outlives its tasks.")


class FromTranscript(Event):
    """An event that shows a line of the engine's transcript; `block` counts the blocks of one message."""

    uuid: str | None = None
    message_id: str | None = None
    block: int | None = None
    parent_tool_use_id: str | None = Field(None, description="The call that started the sub-agent that speaks.")


Truncated = dict[str, Cut]
Metadata = dict[str, Any]
