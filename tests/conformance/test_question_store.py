"""Every store keeps the same promises about questions."""

import pytest

pytest.register_assert_rewrite("glasshouse.testing.conformance")

from tests.support.stores import InMemory, OnSqlite  # noqa: E402

from glasshouse.testing.conformance.question_store import QuestionStoreConformance  # noqa: E402


class TestMemoryStore(InMemory, QuestionStoreConformance):
    pass


class TestSqliteStore(OnSqlite, QuestionStoreConformance):
    pass
