"""Which transcripts there are, and which of them changed since they were looked at. A stat of each file tells."""

import os
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from glasshouse.claude_home.digesting import mark_of

# A session's; other files beside them are those of sub-agents.
_NAME = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.jsonl")

Mark = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Changes:
    """`marks`: of the files that are new or changed."""

    marks: dict[str, Mark] = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)


class Folders:
    """Of one home. What was found is remembered by `learn`, once it is in the index."""

    def __init__(self, root: Path) -> None:
        # With its links resolved: it may be a link itself, nothing below it is followed.
        self.root = os.path.realpath(root)
        self._known: dict[str, dict[str, Mark]] = {}

    def holds(self, path: str) -> bool:
        return path.startswith(f"{self.root}/")

    def mark(self, path: str) -> Mark | None:
        folder, name = os.path.split(path)
        return self._known.get(folder, {}).get(name)

    def learn(self, path: str, mark: Mark | None) -> None:
        folder, name = os.path.split(path)
        names = self._known.setdefault(folder, {})
        if mark is None:
            names.pop(name, None)
        else:
            names[name] = mark

    def forget(self) -> None:
        self._known.clear()

    def names(self) -> list[str]:
        """The folders that there are, in full."""
        try:
            with os.scandir(self.root) as entries:
                return [entry.path for entry in entries if entry.is_dir(follow_symlinks=False) and _is_text(entry.path)]
        except OSError:
            return []

    def look(self, folders: Collection[str] | None = None) -> Changes:
        """At these folders, or at all."""
        changes = Changes()
        for folder in {*self.names(), *self._known} if folders is None else folders:
            known = self._known.get(folder, {})
            found = dict(_files(folder))
            for name, mark in found.items():
                if known.get(name) != mark:
                    changes.marks[f"{folder}/{name}"] = mark
            changes.gone.extend(f"{folder}/{name}" for name in known if name not in found)
        return changes


def session_of(path: str) -> str:
    return path[path.rfind("/") + 1 :].removesuffix(".jsonl")


def _files(folder: str) -> Iterator[tuple[str, Mark]]:
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                name = entry.name
                if _NAME.fullmatch(name) and entry.is_file(follow_symlinks=False):
                    yield name, mark_of(entry.stat(follow_symlinks=False))
    except OSError:  # gone, or not ours to read
        return


def _is_text(path: str) -> bool:
    return path.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in path)
