"""The title and the tags of a session, written into its transcript by the SDK's rename and tag (the port `Labels`).

The SDK's own search for the file would take the first of that name, in one configuration directory, through links; so
it is given the very file, as a `SessionStore` that can append to it and nothing else.
"""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import orjson

from glasshouse.claude_home import ClaudeHome
from glasshouse.claude_home.transcripts import find_transcript

if TYPE_CHECKING:
    from claude_agent_sdk import SessionStore, SessionStoreEntry
    from claude_agent_sdk.types import SessionKey

# Claude Code has one tag a session; ours stand in it one behind the other.
TAG_SEPARATOR = ", "


class ClaudeLabels:
    def __init__(self, *, home: ClaudeHome, offline_home: ClaudeHome) -> None:
        self._homes = {False: home, True: offline_home}

    async def label(self, session_id: str, *, offline: bool, title: str | None, tags: Sequence[str] | None) -> bool:
        found = await asyncio.to_thread(find_transcript, self._homes[offline], session_id)
        if found is None:
            return False
        return await asyncio.to_thread(_label, found.path, found.session_id, title, tags)


def _label(path: Path, session_id: str, title: str | None, tags: Sequence[str] | None) -> bool:
    # Half a second, which no start of the server has to wait for.
    from claude_agent_sdk import rename_session_via_store, tag_session_via_store  # noqa: PLC0415

    # Appending is all that the SDK asks of it here.
    file = cast("SessionStore", _Transcript(path))
    try:
        if title is not None:
            asyncio.run(rename_session_via_store(file, session_id, title))
        if tags is not None:
            asyncio.run(tag_session_via_store(file, session_id, TAG_SEPARATOR.join(tags) or None))
    except FileNotFoundError:
        return False
    return True


class _Transcript:
    """One file, as the SDK's `SessionStore`."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def append(self, key: "SessionKey", entries: "list[SessionStoreEntry]") -> None:
        """Never makes a file; a line that somebody left unfinished stays by itself."""
        descriptor = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            size = os.fstat(descriptor).st_size
            is_whole = size == 0 or os.pread(descriptor, 1, size - 1) == b"\n"
            lines = b"".join(orjson.dumps(entry) + b"\n" for entry in entries)
            os.write(descriptor, lines if is_whole else b"\n" + lines)
        finally:
            os.close(descriptor)
