"""The application on a workbench, one task a minute for each address; for each test its own."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.support.bench import Bench
from tests.support.served import Served, serving

from glasshouse.core.settings import Settings


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    async with serving(Served(Bench(tmp_path), Settings(rate_limit=20))) as served:
        yield served
