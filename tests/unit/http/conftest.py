"""The application on a workbench, started; for each test its own."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from tests.support.bench import Bench
from tests.support.served import Served, serving


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    async with serving(Served(Bench(tmp_path))) as served:
        yield served


@pytest.fixture
async def client(served: Served) -> AsyncIterator[httpx.AsyncClient]:
    """With the key."""
    async with served.client() as client:
        yield client
