"""The stores that a conformance suite is run on, empty and open; mixed in before the suite."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from glasshouse.adapters.store.sqlite import SqliteStore
from glasshouse.core.ports import Store
from glasshouse.testing.memory_store import MemoryStore


class InMemory:
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


class OnSqlite:
    @pytest.fixture(autouse=True)
    def _place(self, tmp_path: Path) -> None:
        self._path = tmp_path / "data" / "glasshouse.db"

    @pytest.fixture
    async def store(self, _place: None) -> AsyncIterator[Store]:
        store = SqliteStore(self._path)
        await store.open()
        yield store
        await store.close()

    async def reopened(self, store: Store) -> Store:
        await store.close()
        again = SqliteStore(self._path)
        await again.open()
        return again
