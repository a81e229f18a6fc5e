"""Every index of sessions, by the suite that ships."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.support.terminal import Transcript

from glasshouse.adapters.session_index import TranscriptIndex
from glasshouse.core.ports import SessionIndex, SessionSummary
from glasshouse.testing.conformance.session_index import SessionIndexSuite
from glasshouse.testing.memory_index import MemoryIndex


class TestMemoryIndex(SessionIndexSuite):
    @pytest.fixture
    def index(self) -> SessionIndex:
        return MemoryIndex()

    def put(self, index: SessionIndex, session: SessionSummary) -> None:
        assert isinstance(index, MemoryIndex)
        index.add(session)

    def remove(self, index: SessionIndex, session: SessionSummary) -> None:
        assert isinstance(index, MemoryIndex)
        index.remove(session.session_id)


class TestTranscriptIndex(SessionIndexSuite):
    @pytest.fixture
    async def index(self, tmp_path: Path) -> AsyncIterator[SessionIndex]:
        self._root = tmp_path / "projects"
        index = TranscriptIndex(tmp_path / "s.db", roots={False: self._root, True: tmp_path / "none"})
        await index.open()
        await index.follow()
        yield index
        await index.close()

    def put(self, index: SessionIndex, session: SessionSummary) -> None:
        # Elsewhere first, so that it appears whole.
        written = Transcript(self._root.parent / "beside", session.working_dir, session.session_id)
        written.prompt(session.title, timestamp=session.began_at)
        for tool in session.tools_used:
            written.calls(tool, at=session.began_at)
        written.says("done", timestamp=session.active_at)
        if session.cost_usd is not None:
            written.cost(session.cost_usd)
        place = self._path(session)
        place.parent.mkdir(parents=True, exist_ok=True)
        written.path.rename(place)

    def remove(self, index: SessionIndex, session: SessionSummary) -> None:
        self._path(session).unlink()

    def _path(self, session: SessionSummary) -> Path:
        return self._root / session.working_dir.replace("/", "-") / f"{session.session_id}.jsonl"
