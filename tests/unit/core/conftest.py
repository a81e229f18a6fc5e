"""A workbench for each test: admitted tasks wait until the test calls `begin`."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.support.bench import Bench, opened


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    async with opened(Bench(tmp_path)) as bench:
        yield bench


@pytest.fixture
async def running(bench: Bench) -> Bench:
    """A workbench whose queue runs."""
    await bench.begin()
    return bench
