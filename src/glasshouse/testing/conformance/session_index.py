"""What every index of sessions keeps of the port's promises."""

import asyncio
from abc import ABC, abstractmethod
from typing import Any

import pytest

from glasshouse.contract.ids import new_id
from glasshouse.core.ports import Closed, SessionIndex, SessionQuery, SessionSummary

PATIENCE_S = 20.0
HERE, THERE = "/work/here", "/work/there"


def a_session(number: int = 1, **fields: Any) -> SessionSummary:
    """Of that day of a month."""
    given: dict[str, Any] = {
        "session_id": new_id(),
        "working_dir": HERE,
        "offline": False,
        "title": f"number {number}",
        "began_at": f"2026-01-{number:02d}T10:00:00.000Z",
        "active_at": f"2026-01-{number:02d}T11:00:00.000Z",
        "message_count": 2,
    }
    return SessionSummary(**given | fields)


class SessionIndexSuite(ABC):
    """Subclass it, with a fixture `index` that is open and follows, and ways to change what it is of."""

    @abstractmethod
    def put(self, index: SessionIndex, session: SessionSummary) -> None:
        """It begins, or becomes this. Of it title, directory, moments, tools and cost are kept."""

    @abstractmethod
    def remove(self, index: SessionIndex, session: SessionSummary) -> None: ...

    async def test_an_empty_index_has_nothing(self, index: SessionIndex) -> None:
        assert (await index.fresh(PATIENCE_S)).total == 0
        assert await found(index) == []
        assert list(await index.directories()) == []
        assert await index.get(new_id()) is None

    async def test_what_is_put_is_there_the_newest_first(self, index: SessionIndex) -> None:
        sessions = [a_session(number) for number in (2, 4, 1, 3)]
        for session in sessions:
            self.put(index, session)
        assert await titles(index) == ["number 4", "number 3", "number 2", "number 1"]
        one = await index.get(sessions[0].session_id)
        assert one is not None
        assert (one.working_dir, one.began_at, one.active_at) == (HERE, sessions[0].began_at, sessions[0].active_at)

    async def test_pages_go_on_behind_the_last(self, index: SessionIndex) -> None:
        for number in range(1, 6):
            self.put(index, a_session(number))
        first = await found(index, limit=2)
        after = (first[-1].active_at, first[-1].session_id)
        assert await titles(index, limit=2, after=after) == ["number 3", "number 2"]

    async def test_lists_keep_to_directories_moments_tools_and_costs(self, index: SessionIndex) -> None:
        cheap = a_session(1, cost_usd=0.1, tools_used=("Read",))
        dear = a_session(2, cost_usd=0.9, tools_used=("Read", "Bash"))
        unknown, elsewhere = a_session(3), a_session(4, working_dir=THERE)
        for session in (cheap, dear, unknown, elsewhere):
            self.put(index, session)
        assert await titles(index, working_dirs=(HERE,)) == ["number 3", "number 2", "number 1"]
        assert await titles(index, working_dirs=()) == []
        assert await titles(index, since="2026-01-03T00:00:00.000Z") == ["number 4", "number 3"]
        assert await titles(index, until="2026-01-01T23:00:00.000Z") == ["number 1"]
        assert await titles(index, tool="Read") == ["number 2", "number 1"]
        assert await titles(index, min_cost=0.5) == ["number 2"]
        assert await titles(index, min_cost=0.5, costly=(unknown.session_id,)) == ["number 3", "number 2"]
        counts = {each.working_dir: (each.count, each.active_at) for each in await index.directories()}
        assert counts == {HERE: (3, unknown.active_at), THERE: (1, elsewhere.active_at)}

    @pytest.mark.parametrize("words", [("parser",), ("FIX",), ("fix", "pars"), ("修复",), ("修",)])
    async def test_words_of_titles_are_found(self, index: SessionIndex, words: tuple[str, ...]) -> None:
        self.put(index, a_session(1, title="Fix the parser, 修复解析器"))
        self.put(index, a_session(2, title="something else"))
        assert await titles(index, words=words) == ["Fix the parser, 修复解析器"]
        assert await titles(index, words=(*words, "absent")) == []

    async def test_what_is_removed_is_gone(self, index: SessionIndex) -> None:
        kept, gone = a_session(1), a_session(2)
        for session in (kept, gone):
            self.put(index, session)
        assert len(await found(index)) == 2
        self.remove(index, gone)
        assert await titles(index) == ["number 1"]
        assert set(await index.known((kept.session_id, gone.session_id, new_id()))) == {kept.session_id}

    async def test_changes_are_told_with_where_it_was(self, index: SessionIndex) -> None:
        await index.fresh(PATIENCE_S)
        changes = index.subscribe()
        session = a_session(1)
        async with asyncio.timeout(PATIENCE_S):
            self.put(index, session)
            assert dict(await changes.next()) == {session.session_id: None}
            self.remove(index, session)
            assert dict(await changes.next()) == {session.session_id: HERE}
        changes.close()
        with pytest.raises(Closed):
            await changes.next()


async def found(index: SessionIndex, **query: Any) -> list[SessionSummary]:
    await index.fresh(PATIENCE_S)
    everything: dict[str, Any] = {"working_dirs": (HERE, THERE), "limit": 50}
    return list(await index.page(SessionQuery(**everything | query)))


async def titles(index: SessionIndex, **query: Any) -> list[str]:
    return [session.title for session in await found(index, **query)]
