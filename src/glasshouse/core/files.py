"""Files of a working directory: completed while typing, and looked at. Nothing outside of what is allowed is either."""

import asyncio
import base64
import os
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal

from glasshouse.contract.errors import NotFound
from glasshouse.contract.file import FileNames, FilePreview
from glasshouse.core.completion import ranked
from glasshouse.core.paths import DirectoryGuard
from glasshouse.core.ports import FileTree

COMPLETIONS = 50
PREVIEW_LIMIT = 1024 * 1024
_LONGEST_PATH = 4096
# Of those that are gone or shut there may be some among the best.
_SPARE = 4


@dataclass(frozen=True)
class Files:
    guard: DirectoryGuard
    tree: FileTree

    async def complete(self, working_dir: str, typed: str, limit: int = COMPLETIONS) -> FileNames:
        """Raises WorkingDirInvalid."""
        directory = await asyncio.to_thread(self.guard.check, working_dir)
        names = await self.tree.names(directory)
        return await asyncio.to_thread(self._best, directory, names.names, names.complete, typed, limit)

    async def preview(self, working_dir: str, path: str) -> FilePreview:
        """Raises WorkingDirInvalid or NotFound, with no word on why."""
        return await asyncio.to_thread(self._preview, working_dir, path)

    def _best(self, directory: Path, names: tuple[str, ...], complete: bool, typed: str, limit: int) -> FileNames:
        best = (name for name in ranked(names, typed, limit * _SPARE) if self._is_there(directory, name))
        return FileNames(files=list(islice(best, limit)), complete=complete)

    def _is_there(self, directory: Path, name: str) -> bool:
        """What git knows may be gone, or be a repository's elsewhere; what is shut stays unnamed."""
        path = directory / name
        parent = Path(os.path.realpath(path.parent))
        if not os.path.lexists(path) or not parent.is_relative_to(directory):
            return False
        return self.guard.covers(parent / path.name)

    def _preview(self, working_dir: str, path: str) -> FilePreview:
        directory = self.guard.check(working_dir)
        real = self._inside(directory, path)
        beginning = None if real is None else self.tree.beginning(directory, real, PREVIEW_LIMIT)
        if real is None or beginning is None:
            raise NotFound
        encoding, content = _readable(beginning.content, whole=beginning.size <= len(beginning.content))
        return FilePreview(
            path=str(real.relative_to(directory)),
            size=beginning.size,
            encoding=encoding,
            content=content,
            truncated=beginning.size > len(beginning.content),
        )

    def _inside(self, directory: Path, path: str) -> Path | None:
        """The path with its links resolved, if all of that is in the directory and nothing of it is shut."""
        if "\0" in path or len(path) > _LONGEST_PATH:
            return None
        try:
            real = Path(os.path.realpath(directory / path, strict=True))
        except (OSError, ValueError):
            return None
        if real == directory or not real.is_relative_to(directory) or not self.guard.covers(real):
            return None
        return real if _is_text(str(real)) else None


def _readable(content: bytes, *, whole: bool) -> tuple[Literal["utf-8", "base64"], str]:
    """As text if it is one; of something else that is too large for here, nothing."""
    # A character of UTF-8 has at most four bytes: one that was cut at the end spoils no more than three.
    for cut in range(1 if whole else 4):
        try:
            text = content[: len(content) - cut].decode()
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return "utf-8", text
    return "base64", base64.b64encode(content).decode() if whole else ""


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
