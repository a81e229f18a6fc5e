"""The offline model as an endpoint that both sides reach, and a real server that takes it for the real one."""

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from glasshouse.testing.offline_model import OfflineModel, Script
from glasshouse.testing.server_process import ServerProcess


@dataclass(frozen=True)
class Stage:
    """`environment` is what a Claude Code finds that works without Glasshouse, as the same user in the same place."""

    server: ServerProcess
    environment: Mapping[str, str]


@asynccontextmanager
async def stage(*scripts: Script, settings: Mapping[str, str] | None = None) -> AsyncIterator[Stage]:
    model = OfflineModel(scripts, "en")
    endpoint = await model.start()
    to_the_model = {
        "ANTHROPIC_BASE_URL": endpoint.url,
        "ANTHROPIC_API_KEY": endpoint.key,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }
    with tempfile.TemporaryDirectory() as home:
        # Each task with a new Claude Code, but where just that is not meant.
        ours = {"GLASSHOUSE_OFFLINE": "never", "GLASSHOUSE_TRUST": "always", "GLASSHOUSE_WARM_PROCESSES": "0"}
        server = ServerProcess(Path(home), environment={**to_the_model, **ours, **(settings or {})})
        await asyncio.to_thread(server.start)
        try:
            yield Stage(server, {"PATH": os.environ["PATH"], "HOME": home, **to_the_model})
        finally:
            await asyncio.to_thread(server.stop)
            await model.stop()
