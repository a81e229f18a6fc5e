"""Where a conversation can be cut: at its newest message, before what a person said, or at a call that asked one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from glasshouse.claude_home.files import objects_in
from glasshouse.claude_home.home import ClaudeHome
from glasshouse.claude_home.lines import blocks_in, lines_of, record_in, words_in
from glasshouse.claude_home.noted import out_of_reach
from glasshouse.claude_home.transcripts import find_transcript
from glasshouse.core.ports import ConversationPoint

# Claude Code's own words in the model's place: an error, or that a turn was cut off.
_PUT_IN = "<synthetic>"


@dataclass(frozen=True, slots=True)
class _Message:
    uuid: str
    # Of the model's message that it is a block of.
    message_id: str | None
    put_in: bool
    calls: frozenset[str]
    results: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Entry:
    parent: str | None
    is_message: bool
    # Where its line ends.
    end: int


class _Entries:
    """Those of the main conversation, by their ids."""

    def __init__(self) -> None:
        self.by_id: dict[str, _Entry] = {}
        self.size = 0
        self.said: dict[str, Any] | None = None
        self.asked: dict[str, Any] | None = None

    def point(self, at: str | None, prompt: str | None) -> ConversationPoint:
        kept = sum(self.by_id[each].is_message for each in self._chain(at))
        found = None if at is None else self.by_id.get(at)
        if found is None:
            return ConversationPoint(None, prompt, kept=0, dropped=(0, self.size))
        return ConversationPoint(at, prompt, kept, dropped=(found.end, self.size))

    def _chain(self, at: str | None) -> Iterator[str]:
        seen: set[str] = set()
        while at is not None and at in self.by_id and at not in seen:
            seen.add(at)
            yield at
            at = self.by_id[at].parent


def newest_message(home: ClaudeHome, session_id: str, dropped: Sequence[tuple[int, int]] = ()) -> str | None:
    """The newest with no open call before it, not in the parts (in bytes) that a rewinding left behind. Blocking."""
    found = find_transcript(home, session_id)
    messages = [] if found is None else list(_messages(found.path, out_of_reach(found.path, dropped)))
    message_of = {call: each.message_id for each in messages for call in each.calls}
    answered = {result for each in messages for result in each.results}
    unfinished = {message_id for call, message_id in message_of.items() if call not in answered}
    while messages:
        last = messages.pop()
        involved = {last.message_id, *(message_of.get(result) for result in last.results)} - {None}
        if not last.put_in and not involved & unfinished:
            return last.uuid
    return None


def before_message(home: ClaudeHome, session_id: str, message_id: str) -> ConversationPoint | None:
    """None: nobody said this there. Blocking: reads the whole transcript."""
    entries = _read(home, session_id, message_id=message_id)
    if entries is None or entries.said is None:
        return None
    return entries.point(_parent(entries.said), words_in(entries.said))


def at_call(home: ClaudeHome, session_id: str, call_id: str) -> ConversationPoint | None:
    """With the call, and without what came of it. Blocking."""
    entries = _read(home, session_id, call_id=call_id)
    if entries is None or entries.asked is None:
        return None
    return entries.point(str(entries.asked["uuid"]), None)


def _messages(transcript: Path, dropped: Sequence[tuple[int, int]]) -> Iterator[_Message]:
    for place, line in lines_of(transcript):
        if b'"type":"user"' not in line and b'"type":"assistant"' not in line:
            continue
        entry = record_in(line)
        if entry.get("isSidechain") or not entry.get("uuid") or not _is_message(entry):
            continue
        if not any(begin <= place < end for begin, end in dropped):
            yield _message(entry)


def _message(entry: dict[str, Any]) -> _Message:
    message = objects_in(entry).get("message", {})
    results = (block for block in blocks_in(entry) if block.get("type") == "tool_result")
    return _Message(
        uuid=str(entry["uuid"]),
        message_id=str(message["id"]) if entry["type"] == "assistant" and message.get("id") else None,
        put_in=message.get("model") == _PUT_IN,
        calls=_calls(entry),
        results=frozenset(str(block.get("tool_use_id")) for block in results),
    )


def _read(home: ClaudeHome, session_id: str, *, message_id: str = "", call_id: str = "") -> _Entries | None:
    found = find_transcript(home, session_id)
    if found is None:
        return None
    entries = _Entries()
    for _, line in lines_of(found.path):
        entries.size += len(line)
        entry = record_in(line)
        uuid = entry.get("uuid")
        if not isinstance(uuid, str) or entry.get("isSidechain"):
            continue
        entries.by_id[uuid] = _Entry(_parent(entry), _is_message(entry), entries.size)
        if uuid == message_id and _is_said(entry):
            entries.said = entry
        if call_id and entry.get("type") == "assistant" and call_id in _calls(entry):
            entries.asked = entry
    return entries


def _parent(entry: dict[str, Any]) -> str | None:
    parent = entry.get("parentUuid")
    return parent if isinstance(parent, str) else None


def _is_message(entry: dict[str, Any]) -> bool:
    return entry.get("type") in ("user", "assistant")


def _is_said(entry: dict[str, Any]) -> bool:
    return (
        entry.get("type") == "user"
        and not entry.get("isMeta")
        and not any(block.get("type") == "tool_result" for block in blocks_in(entry))
    )


def _calls(entry: dict[str, Any]) -> frozenset[str]:
    return frozenset(str(block.get("id")) for block in blocks_in(entry) if block.get("type") == "tool_use")
