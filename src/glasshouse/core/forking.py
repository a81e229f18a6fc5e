"""A session forked: a new one, whose conversation is another's so far.

Nothing is written to the conversation it comes from, nor is it copied here: the fork remembers the point, and its first
task has the engine begin there. So what is said in the first one meanwhile does not get into the second.
"""

from glasshouse.contract.events import Info
from glasshouse.contract.ids import new_id
from glasshouse.contract.phrase import Language
from glasshouse.core import messages
from glasshouse.core.encoding import entry_of
from glasshouse.core.ports import Append, Clock, ForkPoint, SessionRecord, Sessions, Store
from glasshouse.core.times import timestamp
from glasshouse.core.visible import VisibleSessions


class Forks:
    def __init__(
        self, *, store: Store, sessions: Sessions, visible: VisibleSessions, clock: Clock, language: Language
    ) -> None:
        self._store = store
        self._sessions = sessions
        self._visible = visible
        self._clock = clock
        self._language: Language = language

    async def fork(self, session_id: str, *, message_id: str | None = None) -> SessionRecord:
        """At this message, which the caller has found in the conversation; else at its end. Raises SessionNotFound."""
        source = await self._visible.find(session_id)
        known = await self._store.session(session_id)
        record = SessionRecord(
            session_id=new_id(),
            engine="claude" if known is None else known.engine,
            working_dir=source.working_dir,
            created_at=timestamp(self._clock.now()),
            offline=source.offline,
            forked_from=await self._point(session_id, message_id, known),
        )
        await self._store.append(
            Append(record.session_id, entries=(entry_of(self._event(record)),), session=record, by_person=True)
        )
        return record

    async def _point(self, session_id: str, message_id: str | None, known: SessionRecord | None) -> ForkPoint:
        message_id = message_id or await self._sessions.newest_message(session_id)
        if message_id is None and known is not None and known.forked_from is not None:
            # A fork that has not begun yet.
            return known.forked_from
        return ForkPoint(session_id, message_id)

    def _event(self, record: SessionRecord) -> Info:
        point = record.forked_from
        assert point is not None
        told = {"session_id": point.session_id, "message_id": point.message_id}
        return Info(
            content=messages.FORKED.say(self._language),
            timestamp=record.created_at,
            session_id=record.session_id,
            task_id=None,
            metadata={"notice": "forked", "forked_from": told},
        )
