"""A session forked: a new one, whose conversation is another's up to a point.

Nothing is written to the conversation it comes from, nor is it copied here: the fork remembers the point, and its first
task has the engine begin there. So what is said in the first one meanwhile does not get into the second.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

from glasshouse.contract.events import Info
from glasshouse.contract.ids import new_id
from glasshouse.contract.phrase import Language
from glasshouse.core import messages
from glasshouse.core.encoding import entry_of
from glasshouse.core.ports import Append, Clock, Entry, ForkPoint, SessionRecord, Store, WaysBack
from glasshouse.core.rewindings import rewindings
from glasshouse.core.times import timestamp
from glasshouse.core.visible import VisibleSessions


class Forks:
    def __init__(
        self,
        *,
        store: Store,
        visible: VisibleSessions,
        ways_back: WaysBack,
        let_go: Callable[[str], Awaitable[None]],
        clock: Clock,
        language: Language,
    ) -> None:
        """`let_go` ends what an engine keeps of a session between its tasks."""
        self._store = store
        self._visible = visible
        self._ways_back = ways_back
        self._let_go = let_go
        self._clock = clock
        self._language: Language = language

    async def fork(self, session_id: str) -> SessionRecord:
        """At the newest message that it can go on from. Raises SessionNotFound."""
        now = timestamp(self._clock.now())
        source = await self._visible.record(session_id, now)
        record = forked(source, await self._point(source), now)
        await self._store.append(first_step(record, self._language))
        return record

    async def _point(self, source: SessionRecord) -> ForkPoint:
        dropped = [each.dropped for each in rewindings(source.engine_state)]
        if dropped:
            # Only at its end it notes that the session has gone on elsewhere than where it was before.
            await self._let_go(source.session_id)
        newest = await self._ways_back.newest_message(source.session_id, dropped, offline=source.offline)
        if newest is None and source.forked_from is not None:
            # A fork that has not begun yet.
            return source.forked_from
        return ForkPoint(source.session_id, newest)


async def lineage(store: Store, session_id: str) -> Sequence[str]:
    """The session, and those that its conversation comes from, the nearest first."""
    line = [session_id]
    while (record := await store.session(line[-1])) is not None and (point := record.forked_from) is not None:
        line.append(point.session_id)
    return line


def forked(source: SessionRecord, point: ForkPoint, now: str) -> SessionRecord:
    return replace(source, session_id=new_id(), created_at=now, engine_state={}, forked_from=point)


def first_step(fork: SessionRecord, language: Language, **more: Any) -> Append:
    return Append(fork.session_id, entries=(_told(fork, language, more),), session=fork, by_person=True)


def _told(fork: SessionRecord, language: Language, more: dict[str, Any]) -> Entry:
    point = fork.forked_from
    assert point is not None
    return entry_of(
        Info(
            content=messages.FORKED.say(language),
            timestamp=fork.created_at,
            session_id=fork.session_id,
            task_id=None,
            metadata={
                "notice": "forked",
                "forked_from": {"session_id": point.session_id, "message_id": point.message_id},
                **more,
            },
        )
    )
