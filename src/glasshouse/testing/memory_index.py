"""What lists would know of conversations, kept in memory: the port `SessionIndex` without transcripts."""

import asyncio
from collections.abc import Collection, Mapping, Sequence

from glasshouse.core.ports import Closed, DirectorySessions, Indexed, SessionQuery, SessionSummary


class MemoryIndex:
    """`missing`: so many transcripts are there that have not been read."""

    def __init__(self) -> None:
        self.missing = 0
        self._sessions: dict[str, SessionSummary] = {}
        self._listeners: set[_Listener] = set()

    def add(self, session: SessionSummary) -> None:
        """Or it grew."""
        before = self._sessions.get(session.session_id)
        self._sessions[session.session_id] = session
        self._tell(session.session_id, before)

    def remove(self, session_id: str) -> None:
        self._tell(session_id, self._sessions.pop(session_id))

    def _tell(self, session_id: str, before: SessionSummary | None) -> None:
        for listener in self._listeners:
            listener.news.put_nowait((session_id, None if before is None else before.working_dir))

    async def open(self) -> None:
        pass

    async def follow(self) -> None:
        pass

    async def close(self) -> None:
        for listener in list(self._listeners):
            listener.close()

    async def fresh(self, patience_s: float) -> Indexed:
        there = len(self._sessions)
        return Indexed(there + self.missing, there, there)

    async def directories(self) -> Sequence[DirectorySessions]:
        found: dict[str, list[str]] = {}
        for session in self._sessions.values():
            found.setdefault(session.working_dir, []).append(session.active_at)
        return [DirectorySessions(path, len(moments), max(moments)) for path, moments in found.items()]

    async def page(self, query: SessionQuery) -> Sequence[SessionSummary]:
        newest_first = sorted(self._sessions.values(), key=_order, reverse=True)
        return [session for session in newest_first if _fits(session, query)][: query.limit]

    async def get(self, session_id: str) -> SessionSummary | None:
        return self._sessions.get(session_id)

    async def known(self, session_ids: Collection[str]) -> Collection[str]:
        return self._sessions.keys() & set(session_ids)

    def subscribe(self) -> "_Listener":
        return _Listener(self._listeners)


class _Listener:
    def __init__(self, others: "set[_Listener]") -> None:
        self.news: asyncio.Queue[tuple[str, str | None] | None] = asyncio.Queue()
        self._others = others
        others.add(self)

    async def next(self) -> Mapping[str, str | None]:
        if (news := await self.news.get()) is None:
            raise Closed
        return dict([news])

    def close(self) -> None:
        self._others.discard(self)
        self.news.put_nowait(None)


def _order(session: SessionSummary) -> tuple[str, str]:
    return session.active_at, session.session_id


def _fits(session: SessionSummary, query: SessionQuery) -> bool:
    cost, least = session.cost_usd, query.min_cost
    return (
        session.working_dir in query.working_dirs
        and (query.since is None or session.active_at >= query.since)
        and (query.until is None or session.began_at <= query.until)
        and (query.tool is None or query.tool in session.tools_used)
        and (least is None or (session.session_id in query.costly if cost is None else cost >= least))
        and (query.after is None or _order(session) < query.after)
        and all(word.casefold() in session.title.casefold() for word in query.words)
    )
