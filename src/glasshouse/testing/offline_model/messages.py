"""The Messages API: a request as it is read, and a reply told in its events or as one message."""

import json
import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson
from pydantic import BaseModel

from glasshouse.testing.offline_model.conversation import Turn
from glasshouse.testing.offline_model.reply import Call, Cut, Fail, Pause, Reply, Say, Think, Whole

_PIECE = 12
_CHARACTERS_A_TOKEN = 4


class Message(BaseModel):
    role: str
    content: str | list[dict[str, Any]]


class OfferedTool(BaseModel):
    name: str


class MessagesRequest(BaseModel):
    model: str
    messages: list[Message]
    system: str | list[dict[str, Any]] = ""
    tools: list[OfferedTool] = []
    stream: bool = False
    output_config: dict[str, Any] = {}

    @property
    def turns(self) -> list[Turn]:
        return [(message.role, message.content) for message in self.messages]

    @property
    def tool_names(self) -> Iterable[str]:
        return (tool.name for tool in self.tools)


def input_tokens(body: bytes) -> int:
    """The same for the same request, and of the right order."""
    return max(1, len(body) // _CHARACTERS_A_TOKEN)


def error(kind: str, message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}}


@dataclass(frozen=True, slots=True)
class Head:
    """What a message has before anything is said in it."""

    model: str
    input_tokens: int
    id: str = field(default_factory=lambda: f"msg_{secrets.token_hex(12)}")

    def message(self, content: list[dict[str, Any]], stop_reason: str | None, output_tokens: int) -> dict[str, Any]:
        return {
            "id": self.id,
            "type": "message",
            "role": "assistant",
            "model": self.model,
            "content": content,
            "stop_reason": stop_reason,
            "stop_sequence": None,
            "usage": self.usage(output_tokens),
        }

    def usage(self, output_tokens: int) -> dict[str, Any]:
        return {
            "input_tokens": self.input_tokens,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": output_tokens,
            "service_tier": "standard",
        }


def whole(reply: Reply, head: Head) -> dict[str, Any]:
    """The message that `stream` tells in pieces; without the parts that are no content."""
    content: list[dict[str, Any]] = []
    for part in reply:
        match part:
            case Say(text) if content and content[-1]["type"] == "text":
                content[-1]["text"] += text
            case Say(text):
                content.append({"type": "text", "text": text})
            case Think(text):
                content.append({"type": "thinking", "thinking": text, "signature": _signature()})
            case Call(tool, arguments, call_id):
                content.append({"type": "tool_use", "id": call_id or _call_id(), "name": tool, "input": arguments})
    return head.message(content, _stop_reason(reply), output_tokens(reply))


def stream(reply: Reply, head: Head) -> Iterator[bytes | Pause | Cut]:
    """The events of a streamed reply, with its pauses and its cut in their places."""
    yield _event("message_start", message=head.message([], None, 1))
    yield _event("ping")
    blocks = _Blocks()
    for part in reply:
        match part:
            case Pause():
                yield part
            case Cut():
                yield part
                return
            case Whole():
                return
            case Fail(type=kind, message=message):
                yield _event("error", error={"type": kind, "message": message})
                return
            case Say(text):
                yield from blocks.text(text)
            case Think(text):
                yield from blocks.thinking(text)
            case Call():
                yield from blocks.tool_use(part)
    yield from blocks.close()
    delta = {"stop_reason": _stop_reason(reply), "stop_sequence": None}
    yield _event("message_delta", delta=delta, usage=head.usage(output_tokens(reply)))
    yield _event("message_stop")


class _Blocks:
    """The content blocks of one streamed message: numbered, and only text stays open for more."""

    def __init__(self) -> None:
        self._index = -1
        self._open = False

    def text(self, text: str) -> Iterator[bytes]:
        if not self._open:
            yield self._start({"type": "text", "text": ""})
            self._open = True
        for piece in _pieces(text):
            yield self._delta({"type": "text_delta", "text": piece})

    def thinking(self, text: str) -> Iterator[bytes]:
        yield from self.close()
        yield self._start({"type": "thinking", "thinking": "", "signature": ""})
        for piece in _pieces(text):
            yield self._delta({"type": "thinking_delta", "thinking": piece})
        yield self._delta({"type": "signature_delta", "signature": _signature()})
        yield self._stop()

    def tool_use(self, call: Call) -> Iterator[bytes]:
        yield from self.close()
        yield self._start({"type": "tool_use", "id": call.id or _call_id(), "name": call.tool, "input": {}})
        # As a string, not as bytes: a piece must not end inside a character.
        for piece in ("", *_pieces(json.dumps(call.input, ensure_ascii=False))):
            yield self._delta({"type": "input_json_delta", "partial_json": piece})
        yield self._stop()

    def close(self) -> Iterator[bytes]:
        if self._open:
            yield self._stop()

    def _start(self, block: Mapping[str, Any]) -> bytes:
        self._index += 1
        return _event("content_block_start", index=self._index, content_block=block)

    def _delta(self, delta: Mapping[str, Any]) -> bytes:
        return _event("content_block_delta", index=self._index, delta=delta)

    def _stop(self) -> bytes:
        self._open = False
        return _event("content_block_stop", index=self._index)


def _event(kind: str, **fields: Any) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (kind.encode(), orjson.dumps({"type": kind, **fields}))


def _pieces(text: str) -> Iterator[str]:
    return (text[start : start + _PIECE] for start in range(0, len(text), _PIECE))


def _stop_reason(reply: Reply) -> str:
    return "tool_use" if any(isinstance(part, Call) for part in reply) else "end_turn"


def output_tokens(reply: Reply) -> int:
    characters = 0
    for part in reply:
        match part:
            case Say(text) | Think(text):
                characters += len(text)
            case Call(tool, arguments):
                characters += len(tool) + len(json.dumps(arguments, ensure_ascii=False))
    return max(1, characters // _CHARACTERS_A_TOKEN)


def _call_id() -> str:
    return f"toolu_{secrets.token_hex(12)}"


def _signature() -> str:
    return secrets.token_urlsafe(32)
