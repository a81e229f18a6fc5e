"""How far a session is written, and whether anybody has spoken in it since."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from glasshouse.claude_home.files import open_regular
from glasshouse.claude_home.home import ClaudeHome
from glasshouse.claude_home.lines import record_in
from glasshouse.claude_home.transcripts import paths_of

# Titles and tags are short; whoever writes more has spoken.
_LIMIT = 1024 * 1024


class Mark(NamedTuple):
    path: Path
    inode: int
    size: int
    changed: int


Marks = tuple[Mark, ...]


def marks_of(home: ClaudeHome, session_id: str) -> Marks:
    """Equal as long as nobody writes. Blocking."""
    return tuple(sorted(_marks(home, session_id)))


def unless_spoken(home: ClaudeHome, session_id: str, before: Marks) -> Marks | None:
    """How far it is written now; None if it no longer is the conversation that it was. Titles, tags and what else
    Claude Code notes beside the conversation do not belong to it. Blocking."""
    now = marks_of(home, session_id)
    if now == before:
        return now
    if [(mark.path, mark.inode) for mark in now] != [(mark.path, mark.inode) for mark in before]:
        return None
    grown = [(old, new) for old, new in zip(before, now, strict=True) if old != new]
    return None if any(_is_spoken(old, new) for old, new in grown) else now


def _marks(home: ClaudeHome, session_id: str) -> Iterator[Mark]:
    for path in paths_of(home, session_id):
        try:
            facts = path.stat()
        except OSError:
            continue
        yield Mark(path, facts.st_ino, facts.st_size, facts.st_mtime_ns)


def _is_spoken(old: Mark, new: Mark) -> bool:
    if not 0 < new.size - old.size <= _LIMIT:
        return True
    file = open_regular(new.path, follow=False)
    if file is None:
        return True
    with file:
        try:
            file.seek(old.size, os.SEEK_SET)
            added = file.read(new.size - old.size)
        except OSError:
            return True
    # What belongs to the conversation has an id; and what is not a whole line may become anything.
    return not added.endswith(b"\n") or any(_is_of_conversation(line) for line in added.splitlines())


def _is_of_conversation(line: bytes) -> bool:
    noted = record_in(line)
    return "type" not in noted or "uuid" in noted
