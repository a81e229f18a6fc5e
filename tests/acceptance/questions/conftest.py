"""Servers that die, and what is left of them."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.acceptance.questions.lives import Lives

from glasshouse.adapters.processes import SupervisedProcesses


@pytest.fixture
async def lives(tmp_path: Path) -> AsyncIterator[Lives]:
    lives = Lives(tmp_path)
    yield lives
    await lives.model.stop()
    await SupervisedProcesses(tmp_path / "launcher", lives.identity).sweep()
