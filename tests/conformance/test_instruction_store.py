"""Every store keeps the same promises about instructions."""

import pytest

pytest.register_assert_rewrite("glasshouse.testing.conformance")

from tests.support.stores import InMemory, OnSqlite  # noqa: E402

from glasshouse.testing.conformance.instruction_store import InstructionStoreConformance  # noqa: E402


class TestMemoryStore(InMemory, InstructionStoreConformance):
    pass


class TestSqliteStore(OnSqlite, InstructionStoreConformance):
    pass
