"""The files that one run gives to its Claude Code: on a command line everybody on the machine could read them."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from glasshouse.engines.claude.launch import Launch


@dataclass(frozen=True)
class RunFiles:
    settings: Path
    mcp_servers: Path | None
    memory: Path | None


@contextmanager
def run_files(directory: Path, launch: Launch) -> Iterator[RunFiles]:
    """Gone when the run is over."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    with TemporaryDirectory(dir=directory, ignore_cleanup_errors=True) as folder:

        def written(name: str, text: str) -> Path:
            path = Path(folder, name)
            path.write_text(text, encoding="utf-8")
            return path

        servers = launch.mcp.configured
        yield RunFiles(
            settings=written("settings.json", json.dumps(launch.settings)),
            mcp_servers=written("mcp.json", json.dumps({"mcpServers": servers})) if servers else None,
            memory=written("memory.md", launch.memory) if launch.memory else None,
        )


def remove_left_behind(directory: Path, before: float) -> None:
    """What runs of an earlier server left: a killed one cannot tidy up. Never what is newer than `before`."""
    for path in directory.glob("*"):
        if path.lstat().st_mtime < before:
            shutil.rmtree(path, ignore_errors=True)
