"""One stage a test, on the real CLI."""

import os
import warnings
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from claude_agent_sdk import CanUseToolShadowedWarning
from tests.integration.engines.stage import Stage

from glasshouse.adapters.processes import SupervisedProcesses
from glasshouse.testing.offline_model import OfflineModel, Script


@pytest.fixture
async def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Stage]:
    for name in list(os.environ):
        if name.startswith(("ANTHROPIC_", "CLAUDE_")):
            monkeypatch.delenv(name)
    # As `options` does it; pytest begins every test with filters of its own.
    warnings.filterwarnings("ignore", category=CanUseToolShadowedWarning)
    scripts: list[Script] = []
    model = OfflineModel(scripts, language="en")
    endpoint = await model.start()
    # What the shell of a tool reads at its start is not this machine's.
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("ANTHROPIC_BASE_URL", endpoint.url)
    monkeypatch.setenv("ANTHROPIC_API_KEY", endpoint.key)
    monkeypatch.setenv("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
    processes = SupervisedProcesses(tmp_path / "launcher", f"test{os.getpid()}")
    yield Stage(tmp_path, processes, model, endpoint, scripts)
    await model.stop()
    assert await processes.sweep() == 0, "a run left processes behind"
