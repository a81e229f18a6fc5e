"""Conversations that an engine would know of, kept in memory: the port `Sessions` without transcripts."""

from glasshouse.core.ports import KnownSession


class MemorySessions:
    def __init__(self) -> None:
        self._known: dict[str, KnownSession] = {}

    def add(self, session: KnownSession) -> None:
        """The one added last is the newest."""
        self._known.pop(session.session_id, None)
        self._known[session.session_id] = session

    async def find(self, session_id: str) -> KnownSession | None:
        return self._known.get(session_id)

    async def newest(self, working_dir: str, *, offline: bool) -> KnownSession | None:
        begun_here = (
            session
            for session in reversed(self._known.values())
            if session.working_dir == working_dir and session.offline is offline
        )
        return next(begun_here, None)
