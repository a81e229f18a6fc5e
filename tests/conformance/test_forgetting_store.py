"""Every store keeps the same promises about what is forgotten."""

import pytest

pytest.register_assert_rewrite("glasshouse.testing.conformance")

from tests.support.stores import InMemory, OnSqlite  # noqa: E402

from glasshouse.testing.conformance.forgetting_store import ForgettingStoreConformance  # noqa: E402


class TestMemoryStore(InMemory, ForgettingStoreConformance):
    pass


class TestSqliteStore(OnSqlite, ForgettingStoreConformance):
    pass
