"""Every store keeps the same promises about instructions."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

pytest.register_assert_rewrite("glasshouse.testing.conformance")

from glasshouse.adapters.store.sqlite import SqliteStore  # noqa: E402
from glasshouse.core.ports import Store  # noqa: E402
from glasshouse.testing.conformance.instruction_store import InstructionStoreConformance  # noqa: E402
from glasshouse.testing.memory_store import MemoryStore  # noqa: E402


class TestMemoryStore(InstructionStoreConformance):
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


class TestSqliteStore(InstructionStoreConformance):
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
