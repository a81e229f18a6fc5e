"""Which sessions people may see: one filter under lists, reading, export, rewind and resume alike."""

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path

from glasshouse.contract.errors import SessionNotFound
from glasshouse.core.directories import Directories
from glasshouse.core.ports import Sessions, Store


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

    def covers(self, working_dir: str) -> bool:
        """Whether sessions of this directory may be seen. Blocking: links are followed."""
        try:
            return self._directories.guard.covers(Path(os.path.realpath(working_dir)))
        except ValueError:  # a transcript may say anything, a NUL too
            return False
