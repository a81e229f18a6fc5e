"""What a model can do in one reply, as a small vocabulary that scripts are written in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Say:
    """Text; what is said in a row, with or without a Pause between, is one block."""

    text: str


@dataclass(frozen=True, slots=True)
class Think:
    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """Asks for a tool; a reply may hold several. Without an `id` it gets a new one."""

    tool: str
    input: Mapping[str, Any]
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Pause:
    seconds: float


@dataclass(frozen=True, slots=True)
class Fail:
    """An API error: the answer itself if nothing was said before, else an `error` event in the stream.

    `headers` are the answer's: a limit says with them when it lifts.
    """

    status: int
    type: str
    message: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Cut:
    """The connection ends here, in the middle of whatever it was."""


@dataclass(frozen=True, slots=True)
class Whole:
    """First in a reply that is told as one message only: a stream ends here, and Claude Code asks again without one."""


Part = Say | Think | Call | Pause | Fail | Cut | Whole
Reply = Sequence[Part]
