"""What Claude Code reads when it starts and does not look at again, as one mark: equal as long as nothing changed.

Settings, instructions, agents, commands, skills, plugins, servers, sign-ins: where they stand is Claude Code's own.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from glasshouse.claude_home.files import objects_in, read_json_object
from glasshouse.claude_home.home import ClaudeHome
from glasshouse.claude_home.settings import MANAGED_SETTINGS

_FILES = ("CLAUDE.md", "settings.json", "settings.local.json")
_FOLDERS = ("agents", "commands", "output-styles", "rules", "skills")
_OF_PROJECTS = ("CLAUDE.md", "CLAUDE.local.md", ".mcp.json")
_OF_PLUGINS = ("installed_plugins.json", "known_marketplaces.json", "config.json")
_READ_OF_STATE = re.compile("mcp|trust", re.IGNORECASE)
# A skill's own folder has folders.
_DEPTH = 5
_MOST = 20_000

Facts = tuple[str, int, int, int]


def mark_at_start(home: ClaudeHome, working_dir: Path) -> str:
    """Blocking."""
    facts = []
    for fact in _facts(home, working_dir):
        facts.append(fact)
        if len(facts) > _MOST:
            # So many are not looked through before every task: nothing is like it.
            return os.urandom(16).hex()
    said = json.dumps([sorted(facts), _state(home, working_dir)], sort_keys=True, default=str)
    return hashlib.sha256(said.encode(errors="surrogatepass")).hexdigest()


def _facts(home: ClaudeHome, working_dir: Path) -> Iterator[Facts]:
    yield _place(working_dir)
    yield from _of_home(home.config_dir)
    # Who signs in as somebody else means the next task.
    yield from _file(home.config_dir / ".credentials.json")
    yield from _below(MANAGED_SETTINGS.parent, 2)
    for name in _OF_PLUGINS:
        yield from _file(home.config_dir / "plugins" / name)
    for directory in (working_dir, *working_dir.parents):
        yield from _of_home(directory / ".claude")
        for name in _OF_PROJECTS:
            yield from _file(directory / name)


def _place(directory: Path) -> Facts:
    """Which directory it is: one that was made anew is another."""
    try:
        return str(directory), directory.stat().st_ino, 0, 0
    except OSError:
        return "", 0, 0, 0


def _of_home(folder: Path) -> Iterator[Facts]:
    for name in _FILES:
        yield from _file(folder / name)
    for name in _FOLDERS:
        yield from _below(folder / name, _DEPTH)


def _below(folder: Path, depth: int) -> Iterator[Facts]:
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        # Skills are often links to where they are kept; how deep it goes is bounded, so no link goes in circles.
        if depth and entry.is_dir():
            yield from _below(Path(entry.path), depth - 1)
        else:
            yield from _file(Path(entry.path))


def _file(path: Path) -> Iterator[Facts]:
    try:
        found = path.stat()
    except OSError:
        return
    yield str(path), found.st_ino, found.st_size, found.st_mtime_ns


def _state(home: ClaudeHome, working_dir: Path) -> str:
    """Claude Code writes this file all the time, and only a part of it is settings."""
    facts = next(_file(home.state_file), ("", 0, 0, 0))
    return _settings_in(*facts, working_dir)


@lru_cache(maxsize=64)
def _settings_in(path: str, inode: int, size: int, changed: int, working_dir: Path) -> str:
    """Remembered by what the file was: some are megabytes long."""
    state = read_json_object(Path(path)) if path else {}
    projects = objects_in(state.get("projects"))
    mine = [projects.get(str(directory), {}) for directory in (working_dir, *working_dir.parents)]
    # What is empty or refused is the same as what is not there: Claude Code adds it at its first start.
    kept = [{name: value for name, value in one.items() if value and _READ_OF_STATE.search(name)} for one in mine]
    return json.dumps([state.get("mcpServers") or {}, state.get("primaryApiKey"), kept], sort_keys=True)
