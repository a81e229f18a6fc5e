"""Which sessions people may see: one filter under lists, reading, export, rewind and resume alike."""

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path

from glasshouse.contract.errors import SessionNotFound
from glasshouse.contract.task import EngineName
from glasshouse.core.directories import Directories
from glasshouse.core.ports import SessionRecord, Sessions, Store

# Whose sessions are found on this machine.
_ENGINE: EngineName = "claude"


@dataclass(frozen=True, slots=True)
class VisibleSession:
    """`known`: a task of ours has run in it, or is to run."""

    session_id: str
    working_dir: str
    offline: bool
    known: bool


class VisibleSessions:
    def __init__(self, *, store: Store, sessions: Sessions, directories: Directories) -> None:
        self._store = store
        self._sessions = sessions
        self._directories = directories

    async def find(self, session_id: str) -> VisibleSession:
        """Raises SessionNotFound: there is none, or it worked outside the allowed directories."""
        ours = await self._store.session(session_id)
        # Our own record wins over the transcript: it was written when the directory was checked.
        found = ours or await self._sessions.find(session_id)
        if found is None or not await asyncio.to_thread(self.covers, found.working_dir):
            raise SessionNotFound
        return VisibleSession(session_id, found.working_dir, found.offline, known=ours is not None)

    async def record(self, session_id: str, now: str) -> SessionRecord:
        """Ours, or what ours would be of a session that was begun elsewhere. Raises SessionNotFound."""
        session = await self.find(session_id)
        return await self._store.session(session_id) or SessionRecord(
            session_id=session_id,
            engine=_ENGINE,
            working_dir=session.working_dir,
            created_at=now,
            offline=session.offline,
        )

    def covers(self, working_dir: str) -> bool:
        """Whether sessions of this directory may be seen. Blocking: links are followed."""
        try:
            return self._directories.guard.covers(Path(os.path.realpath(working_dir)))
        except ValueError:  # a transcript may say anything, a NUL too
            return False
