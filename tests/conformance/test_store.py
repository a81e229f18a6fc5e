"""Every store keeps the same promises."""

import pytest

pytest.register_assert_rewrite("glasshouse.testing.conformance")

from tests.support.stores import InMemory, OnSqlite  # noqa: E402

from glasshouse.adapters.store.sqlite import writer  # noqa: E402
from glasshouse.testing.conformance.store import StoreConformance  # noqa: E402


class TestMemoryStore(InMemory, StoreConformance):
    pass


class TestSqliteStore(OnSqlite, StoreConformance):
    pass


class TestSqliteStoreThatRemembersNothing(TestSqliteStore):
    """What the writer keeps in mind from one commit to the next is only a shortcut."""

    @pytest.fixture(autouse=True)
    def _forget(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(writer, "_HEADS_KEPT", 0)
