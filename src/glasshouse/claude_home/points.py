"""Where a conversation can be gone back to: just before what a person said, or to a call that asked one."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from glasshouse.claude_home.files import objects_in, open_regular
from glasshouse.claude_home.home import ClaudeHome
from glasshouse.claude_home.lines import record_in
from glasshouse.claude_home.transcripts import find_transcript
from glasshouse.core.ports import ConversationPoint

_LINE_LIMIT = 64 * 1024 * 1024


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


def before_message(home: ClaudeHome, session_id: str, message_id: str) -> ConversationPoint | None:
    """None: nobody said this there. Blocking: reads the whole transcript."""
    entries = _read(home, session_id, message_id=message_id)
    if entries is None or entries.said is None:
        return None
    return entries.point(_parent(entries.said), _words(entries.said))


def at_call(home: ClaudeHome, session_id: str, call_id: str) -> ConversationPoint | None:
    """With the call, and without what came of it. Blocking."""
    entries = _read(home, session_id, call_id=call_id)
    if entries is None or entries.asked is None:
        return None
    return entries.point(str(entries.asked["uuid"]), None)


def _read(home: ClaudeHome, session_id: str, *, message_id: str = "", call_id: str = "") -> _Entries | None:
    found = find_transcript(home, session_id)
    file = None if found is None else open_regular(found.path, follow=False)
    if file is None:
        return None
    entries = _Entries()
    with file:
        while line := file.readline(_LINE_LIMIT):
            entries.size += len(line)
            entry = record_in(line)
            uuid = entry.get("uuid")
            if not isinstance(uuid, str) or entry.get("isSidechain"):
                continue
            entries.by_id[uuid] = _Entry(_parent(entry), entry.get("type") in ("user", "assistant"), entries.size)
            if uuid == message_id and _is_said(entry):
                entries.said = entry
            if call_id and entry.get("type") == "assistant" and call_id in _calls(entry):
                entries.asked = entry
    return entries


def _parent(entry: dict[str, Any]) -> str | None:
    parent = entry.get("parentUuid")
    return parent if isinstance(parent, str) else None


def _is_said(entry: dict[str, Any]) -> bool:
    return (
        entry.get("type") == "user"
        and not entry.get("isMeta")
        and not any(block.get("type") == "tool_result" for block in _blocks(entry))
    )


def _calls(entry: dict[str, Any]) -> set[str]:
    return {str(block.get("id")) for block in _blocks(entry) if block.get("type") == "tool_use"}


def _words(entry: dict[str, Any]) -> str:
    content = objects_in(entry).get("message", {}).get("content")
    if isinstance(content, str):
        return content
    return "\n".join(str(block.get("text")) for block in _blocks(entry) if block.get("type") == "text")


def _blocks(entry: dict[str, Any]) -> list[dict[str, Any]]:
    content = objects_in(entry).get("message", {}).get("content")
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
