"""What a conversation left open: which calls have results, and the one that a resume presents before anything else."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from glasshouse.claude_home.files import objects_in
from glasshouse.claude_home.home import ClaudeHome
from glasshouse.claude_home.lines import blocks_in, lines_of, record_in
from glasshouse.claude_home.noted import out_of_reach
from glasshouse.claude_home.transcripts import find_transcript

_DEFERRED = b'"hook_deferred_tool"'
_OF_USER = b'"type":"user"'
# What was said into a running turn has no line of its own.
_JOINED = b'"queued_command"'
_OF_MODEL = b'"type":"assistant"'
_ASKS = ("AskUserQuestion", "ask_user_question")
_ASKING = re.compile("|".join(_ASKS).encode())
_NO_RESULT = ("[Tool call interrupted", "[Request interrupted by user", "The user doesn't want to")


@dataclass(frozen=True, slots=True)
class Unfinished:
    """`deferred` is a call whose hook put it off, and that nothing has answered since; `messages` are the uuids of
    those that a person's side has sent. `went_on`: something was said after what was dropped last. `asked` are the
    calls that ask a person."""

    exists: bool = False
    results: frozenset[str] = frozenset()
    messages: frozenset[str] = frozenset()
    deferred: str | None = None
    went_on: bool = True
    asked: frozenset[str] = frozenset()


def unfinished(home: ClaudeHome, session_id: str, dropped: Sequence[tuple[int, int]] = ()) -> Unfinished:
    """`dropped` are the parts, in bytes, that a rewinding left behind. Blocking: reads the whole transcript."""
    found = find_transcript(home, session_id)
    if found is None:
        return Unfinished()
    dropped = out_of_reach(found.path, dropped)
    asked: set[str] = set()
    results: set[str] = set()
    messages: set[str] = set()
    deferred: str | None = None
    went_on = not dropped
    for place, line in _lines(found.path):
        if any(begin <= place < end for begin, end in dropped):
            continue
        if (put_off := _put_off(line)) is not None:
            deferred = put_off
        elif (joined := _joined(line)) is not None:
            messages.add(joined)
            went_on = went_on or place >= dropped[-1][1]
        elif line.get("type") == "assistant" and not line.get("isSidechain"):
            asked.update(_asking(line))
        elif line.get("type") == "user" and not line.get("isSidechain"):
            answered = set(_results(line))
            results |= answered
            messages.add(str(line.get("uuid")))
            went_on = went_on or place >= dropped[-1][1]
            # What is said after it takes its place.
            if deferred in answered or not answered:
                deferred = None
    return Unfinished(True, frozenset(results), frozenset(messages), deferred, went_on, frozenset(asked))


def _lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """With where each begins."""
    for place, line in lines_of(path):
        is_theirs = _OF_USER in line or _JOINED in line
        if _DEFERRED in line or is_theirs or (_OF_MODEL in line and _ASKING.search(line)):
            yield place, record_in(line)


def _put_off(line: dict[str, Any]) -> str | None:
    attachment = objects_in(line).get("attachment", {})
    if attachment.get("type") != "hook_deferred_tool" or line.get("isSidechain"):
        return None
    return str(attachment.get("toolUseID"))


def _joined(line: dict[str, Any]) -> str | None:
    attachment = objects_in(line).get("attachment", {})
    if attachment.get("type") != "queued_command" or line.get("isSidechain"):
        return None
    return str(attachment.get("source_uuid"))


def _asking(line: dict[str, Any]) -> Iterator[str]:
    for block in blocks_in(line):
        if block.get("type") == "tool_use" and str(block.get("name")).endswith(_ASKS):
            yield str(block.get("id"))


def _results(line: dict[str, Any]) -> Iterator[str]:
    for block in blocks_in(line):
        if block.get("type") == "tool_result" and not _stands_for_none(block):
            yield str(block.get("tool_use_id"))


def _stands_for_none(result: dict[str, Any]) -> bool:
    """Claude Code puts these where a process ended before the result came."""
    return str(result.get("content")).startswith(_NO_RESULT)
