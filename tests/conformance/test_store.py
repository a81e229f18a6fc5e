"""Every store keeps the same promises."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

pytest.register_assert_rewrite("glasshouse.testing.conformance")

from glasshouse.adapters.store.sqlite import SqliteStore, writer  # noqa: E402
from glasshouse.core.ports import Store  # noqa: E402
from glasshouse.testing.conformance.store import StoreConformance  # noqa: E402
from glasshouse.testing.memory_store import MemoryStore  # noqa: E402


class TestMemoryStore(StoreConformance):
    @pytest.fixture
    async def store(self) -> AsyncIterator[Store]:
        store = MemoryStore()
        await store.open()
        yield store
        await store.close()

    async def reopened(self, store: Store) -> Store:
        await store.close()
        await store.open()
        return store


class TestSqliteStore(StoreConformance):
    @pytest.fixture
    def path(self, tmp_path: Path) -> Path:
        return tmp_path / "data" / "glasshouse.db"

    @pytest.fixture
    async def store(self, path: Path) -> AsyncIterator[Store]:
        store = SqliteStore(path)
        await store.open()
        yield store
        await store.close()

    @pytest.fixture(autouse=True)
    def _remember(self, path: Path) -> None:
        self._path = path

    async def reopened(self, store: Store) -> Store:
        await store.close()
        again = SqliteStore(self._path)
        await again.open()
        return again


class TestSqliteStoreThatRemembersNothing(TestSqliteStore):
    """What the writer keeps in mind from one commit to the next is only a shortcut."""

    @pytest.fixture(autouse=True)
    def _forget(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(writer, "_HEADS_KEPT", 0)
