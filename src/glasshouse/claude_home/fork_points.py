"""Where a conversation can be gone on from: its newest message before any call that has no result yet."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from glasshouse.claude_home.files import objects_in, open_regular
from glasshouse.claude_home.lines import record_in

_LINE_LIMIT = 64 * 1024 * 1024
# Claude Code's own words in the model's place: an error, or that a turn was cut off.
_PUT_IN = "<synthetic>"


@dataclass(frozen=True, slots=True)
class _Line:
    uuid: str
    # Of the model's message that it is a block of.
    message_id: str | None
    put_in: bool
    calls: frozenset[str]
    results: frozenset[str]


def fork_point(transcript: Path) -> str | None:
    """Blocking: reads the whole transcript."""
    lines = list(_lines(transcript))
    message_of = {call: line.message_id for line in lines for call in line.calls}
    answered = {result for line in lines for result in line.results}
    unfinished = {message_id for call, message_id in message_of.items() if call not in answered}
    while lines:
        last = lines[-1]
        involved = {last.message_id, *(message_of.get(result) for result in last.results)} - {None}
        if not last.put_in and not involved & unfinished:
            return last.uuid
        lines.pop()
    return None


def _lines(transcript: Path) -> Iterator[_Line]:
    file = open_regular(transcript, follow=False)
    if file is None:
        return
    with file:
        while line := file.readline(_LINE_LIMIT):
            if b'"type":"user"' in line or b'"type":"assistant"' in line:
                yield from _line(record_in(line))


def _line(line: dict[str, Any]) -> Iterator[_Line]:
    if line.get("type") not in ("user", "assistant") or line.get("isSidechain") or not line.get("uuid"):
        return
    message = objects_in(line).get("message", {})
    content = message.get("content")
    blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    yield _Line(
        uuid=str(line["uuid"]),
        message_id=str(message["id"]) if line["type"] == "assistant" and message.get("id") else None,
        put_in=message.get("model") == _PUT_IN,
        calls=frozenset(str(block.get("id")) for block in blocks if block.get("type") == "tool_use"),
        results=frozenset(str(block.get("tool_use_id")) for block in blocks if block.get("type") == "tool_result"),
    )
