"""All that a directory carries and that would run, and a digest that changes when any of it does. Blocking, bounded."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from glasshouse.claude_home.carried.item import Item, Kind, canonical, fingerprint, item, shown_path
from glasshouse.claude_home.carried.places import Places, places_of
from glasshouse.claude_home.carried.settings import in_mcp_configuration, in_settings
from glasshouse.claude_home.carried.texts import runs
from glasshouse.claude_home.files import read_regular
from glasshouse.claude_home.home import ClaudeHome

_FILE_LIMIT = 1024 * 1024
_TEXT_LIMIT = 256 * 1024
_MOST_ENTRIES = 2_000
_DEEPEST = 8
_TEXTS = {"commands": Kind.COMMAND, "skills": Kind.SKILL, "agents": Kind.AGENT}
# Whatever is in these is run, or run at a time.
_RUN_WHOLE = {"workflows": Kind.WORKFLOW, "routines": Kind.SCHEDULE, "scheduled_tasks.json": Kind.SCHEDULE}
# More than can be looked through: what is not seen may be anything.
_UNSEEN = "…"
_OF_PLUGINS = frozenset((".claude-plugin", "plugin.json", "hooks.json", ".mcp.json", ".lsp.json"))


@dataclass(frozen=True)
class Carried:
    """`digest` is empty if there is nothing that would run."""

    working_dir: Path
    items: tuple[Item, ...]

    @property
    def digest(self) -> str:
        if not self.items:
            return ""
        return fingerprint(
            *sorted([each.kind, os.fsencode(each.path).hex(), each.name, each.fingerprint] for each in self.items)
        )

    def shown(self) -> list[dict[str, str]]:
        return [
            {
                "kind": each.kind.value,
                "path": shown_path(each.path, self.working_dir),
                "name": each.name,
                "what": each.what,
            }
            for each in self.items
        ]


def carried_by(working_dir: Path, home: ClaudeHome, user_home: Path) -> Carried:
    """`home` is the user's own, and carries nothing. Claude Code looks from the directory with its links resolved."""
    directory = Path(os.path.realpath(working_dir))
    places = places_of(directory, Path(os.path.realpath(user_home)))
    scan = _Scan(directory, places, Path(os.path.realpath(home.config_dir)))
    found = {(each.kind, each.path, each.name, each.fingerprint): each for each in scan.items()}
    return Carried(directory, tuple(found.values()))


def texts_in(folder: Path, directory: Path) -> list[Item]:
    """Of one `.claude` below a (resolved) working directory: those of its texts that run something."""
    scan = _Scan(directory, Places((), (), (folder,), (directory,)), folder / "nobody")
    return list(scan.items())


class _Scan:
    def __init__(self, directory: Path, places: Places, of_user: Path) -> None:
        self._directory = directory
        self._places = places
        self._of_user = of_user
        self._left = _MOST_ENTRIES

    def items(self) -> Iterator[Item]:
        for path in self._places.settings:
            yield from self._json(path, in_settings)
        for path in self._places.mcp_servers:
            yield from self._json(path, in_mcp_configuration)
        for folder in self._places.folders:
            if self._is_the_users(folder):
                continue
            for name, kind in _TEXTS.items():
                yield from self._texts(folder / name, kind)
            for name, kind in _RUN_WHOLE.items():
                yield from self._whole(folder / name, kind)

    def _json(self, path: Path, read: Any) -> Iterator[Item]:
        if not os.path.lexists(path) or self._is_the_users(path):
            return
        if self._leads_out(path):
            yield self._unreadable(path)
            return
        content = read_regular(path, _FILE_LIMIT + 1)
        value = None if content is None or len(content) > _FILE_LIMIT else _object(content)
        if value is None:
            yield self._unreadable(path)
        else:
            yield from read(path, value, self._directory)

    def _texts(self, folder: Path, kind: Kind) -> Iterator[Item]:
        for path in self._files(folder, depth=0):
            if path.name in _OF_PLUGINS:
                yield item(Kind.PLUGIN, path, path.parent.name, "", self._content(path))
            elif path.name == _UNSEEN or self._leads_out(path):
                yield self._unreadable(path)
            elif path.suffix.lower() == ".md":
                yield from self._text(path, kind)

    def _text(self, path: Path, kind: Kind) -> Iterator[Item]:
        content = read_regular(path, _TEXT_LIMIT + 1)
        if content is None or len(content) > _TEXT_LIMIT:
            yield self._unreadable(path)
            return
        # A byte that is no UTF-8 is read as a sign of its own by Claude Code too, never as one of ours.
        found = runs(content.decode(errors="replace"))
        if found:
            name = path.parent.name if path.stem.upper() == "SKILL" else path.stem
            yield item(kind, path, name, "\n".join(found.values()), content)

    def _whole(self, path: Path, kind: Kind) -> Iterator[Item]:
        if path.is_dir():
            for file in self._files(path, depth=0):
                yield item(kind, file, file.name, "", self._content(file))
        elif os.path.lexists(path):
            yield item(kind, path, path.name, "", self._content(path))

    def _files(self, folder: Path, depth: int) -> Iterator[Path]:
        """Below a folder, and through links; those that lead out of the project count as files."""
        if depth > 0 and (folder.name in _OF_PLUGINS or self._leads_out(folder)):
            yield folder
            return
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError:
            yield folder / _UNSEEN
            return
        for entry in entries:
            self._left -= 1
            if self._left < 0 or depth > _DEEPEST:
                yield folder / _UNSEEN
                return
            path = Path(entry.path)
            if _is_directory(entry):
                yield from self._files(path, depth + 1)
            else:
                yield path

    def _content(self, path: Path) -> str:
        """What changes when it does: its bytes, as far as they can be read."""
        try:
            real, found = os.path.realpath(path), path.stat()
        except OSError:
            return "none"
        content = read_regular(path, _FILE_LIMIT)
        if content is None or found.st_size > _FILE_LIMIT or stat.S_ISDIR(found.st_mode):
            return canonical([real, found.st_size, found.st_mtime_ns, found.st_ino])
        return fingerprint(content)

    def _unreadable(self, path: Path) -> Item:
        target = os.path.realpath(path) if self._leads_out(path) else ""
        return item(Kind.UNREADABLE, path, path.name, f"→ {target}" if target else "", target, self._content(path))

    def _leads_out(self, path: Path) -> bool:
        # The working directory is resolved, so what differs is a link of the project's.
        real = Path(os.path.realpath(path))
        return real != path and not any(real.is_relative_to(directory) for directory in self._places.inside)

    def _is_the_users(self, path: Path) -> bool:
        return Path(os.path.realpath(path)).is_relative_to(self._of_user)


def _object(content: bytes) -> dict[str, Any] | None:
    if not content.strip():
        return {}
    try:
        value = orjson.loads(content)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False
