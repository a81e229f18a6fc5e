"""The conversations that Claude Code has on disk: one file a session, below a folder named after its directory.

The folder's name cannot be decoded, and two directories can share one: what counts is the `cwd` in the lines.
The newest is the one in which somebody spoke last: a Claude Code also writes to its file when it leaves, and one that
was kept for its session's next turn may leave long after.
"""

import asyncio
import os
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from glasshouse.claude_home.files import open_regular, resolved_inside
from glasshouse.claude_home.home import ClaudeHome
from glasshouse.claude_home.lines import record_in
from glasshouse.contract.ids import is_uuid
from glasshouse.core.ports import KnownSession

_SUFFIX = ".jsonl"
# The first message stands near the beginning; what Claude Code writes before it is short, and pasted images are not.
_READ_LIMIT = 64 * 1024 * 1024
_LINE_LIMIT = 16 * 1024 * 1024
_FOLDER_LIMIT = 200
# The last that was said stands near the end, unless it is as long as this.
_TAIL = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Transcript:
    path: Path
    session_id: str
    working_dir: str


class Transcripts:
    """The port `Sessions`, over the user's conversations and those held with the demo model."""

    def __init__(self, *, home: ClaudeHome, offline_home: ClaudeHome) -> None:
        self._homes = {False: home, True: offline_home}

    async def find(self, session_id: str) -> KnownSession | None:
        return await asyncio.to_thread(self._find, session_id)

    async def newest(self, working_dir: str, *, offline: bool) -> KnownSession | None:
        found = await asyncio.to_thread(newest_transcript, self._homes[offline], working_dir)
        return KnownSession(found.session_id, found.working_dir, offline) if found else None

    def _find(self, session_id: str) -> KnownSession | None:
        for offline, home in self._homes.items():
            if found := find_transcript(home, session_id):
                return KnownSession(found.session_id, found.working_dir, offline)
        return None


def find_transcript(home: ClaudeHome, session_id: str) -> Transcript | None:
    if not is_uuid(session_id):
        return None
    for folder in _folders(home):
        if found := _transcript(home, folder / f"{session_id.lower()}{_SUFFIX}"):
            return found
    return None


def paths_of(home: ClaudeHome, session_id: str) -> Iterator[Path]:
    """Where the session may be written to: it is told by its name alone."""
    for folder in _folders(home):
        yield folder / f"{session_id.lower()}{_SUFFIX}"


def newest_transcript(home: ClaudeHome, working_dir: str) -> Transcript | None:
    """The newest session that began in exactly this directory."""
    files = [
        file
        for folder in _folders(home)
        if _may_hold(folder.name, working_dir)
        for file in _entries(folder)
        if file.suffix == _SUFFIX and is_uuid(file.stem)
    ]
    newest, spoken = None, 0.0
    for file in sorted(files, key=_last_written, reverse=True):
        if _last_written(file) < spoken:
            break
        found = _transcript(home, file)
        if found is not None and _same(found.working_dir, working_dir) and _last_spoken(found.path) > spoken:
            newest, spoken = found, _last_spoken(found.path)
    return newest


def _folders(home: ClaudeHome) -> Iterator[Path]:
    return _entries(home.transcripts_dir)


def _entries(directory: Path) -> Iterator[Path]:
    try:
        yield from [Path(entry.path) for entry in os.scandir(directory)]
    except OSError:
        return


def _last_written(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _last_spoken(path: Path) -> float:
    """By its last line that says when; what is noted at the end of a process does not."""
    file = open_regular(path, follow=False)
    if file is None:
        return 0.0
    with file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _TAIL))
        lines = file.read(_TAIL).split(b"\n")
    for line in reversed(lines):
        said = record_in(line).get("timestamp") if b'"timestamp"' in line else None
        if isinstance(said, str) and (moment := _moment(said)):
            return moment
    return _last_written(path)


def _moment(timestamp: str) -> float:
    try:
        return datetime.fromisoformat(timestamp).timestamp()
    except ValueError:
        return 0.0


def _may_hold(folder: str, working_dir: str) -> bool:
    """Whether Claude Code could have named a folder so for this directory (older versions kept more of the name)."""
    named, meant = _encoded(folder), _encoded(working_dir)
    if len(meant) <= _FOLDER_LIMIT:
        return named == meant
    # A hash follows where the name was cut.
    return named.startswith(meant[:_FOLDER_LIMIT])


def _encoded(path: str) -> str:
    # JavaScript replaces UTF-16 units: a character beyond the first plane becomes two hyphens.
    name = unicodedata.normalize("NFC", path)
    return re.sub(r"[^a-zA-Z0-9]", lambda found: "-" if ord(found[0]) <= 0xFFFF else "--", name)


def _same(one: str, other: str) -> bool:
    return unicodedata.normalize("NFC", one) == unicodedata.normalize("NFC", other)


def _transcript(home: ClaudeHome, path: Path) -> Transcript | None:
    """What the file tells of its session, or None: no such file, one that a link leads to elsewhere, no messages."""
    try:
        root = home.transcripts_dir.resolve(strict=True)
    except (OSError, RuntimeError):
        return None
    real = resolved_inside(path, root)
    if real is None:
        return None
    for line in _lines(real):
        if _is_message(line):
            return Transcript(real, path.stem, str(line["cwd"]))
    return None


def _is_message(line: dict[str, Any]) -> bool:
    return (
        line.get("type") in ("user", "assistant")
        and not line.get("isSidechain")
        and not line.get("isMeta")
        and isinstance(line.get("cwd"), str)
    )


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    """The lines at the beginning of a transcript, as objects; a damaged one reads as an empty object."""
    file = open_regular(path, follow=False)
    if file is None:
        return
    left = _READ_LIMIT
    with file:
        while left > 0 and (line := file.readline(_LINE_LIMIT)):
            left -= len(line)
            yield record_in(line)
