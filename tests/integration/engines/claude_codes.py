"""Which Claude Codes are there, as /proc shows them."""

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path

from tests.integration.engines.stage import Stage

from glasshouse.adapters.processes import proc
from glasshouse.engines.claude import bundled_cli

_PATIENCE_S = 20.0
_CLI = (bundled_cli() or Path()).resolve()


def claude_codes(stage: Stage) -> set[int]:
    """Those that work in the project."""
    found = set()
    for pid in proc.running():
        with contextlib.suppress(OSError):
            if Path(f"/proc/{pid}/cwd").readlink() == stage.project and _is_claude(pid):
                found.add(pid)
    return found


def _is_claude(pid: int) -> bool:
    return Path(f"/proc/{pid}/exe").readlink() == _CLI


async def until(condition: Callable[[], object]) -> None:
    """What the engine does by itself tells nobody."""
    async with asyncio.timeout(_PATIENCE_S):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.02)
