"""Attachments as files: `root/session/folder/name`, made aside and moved into place, for the user's eyes alone."""

import asyncio
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import mkdtemp

from glasshouse.core.ports import StoreUnavailable

# Not a session's name: what is being made, or was when a server died.
_MAKING = ".making"


class AttachmentFolders:
    """The port `Attachments`."""

    def __init__(self, root: Path) -> None:
        self._root = root

    async def keep(self, session_id: str, folder: str, files: Mapping[str, bytes]) -> None:
        try:
            await asyncio.to_thread(self._keep, Path(self.path(session_id, folder)), files)
        except OSError as problem:
            raise StoreUnavailable(f"attachments cannot be kept: {problem.strerror}") from problem

    def path(self, session_id: str, folder: str | None = None) -> str:
        return str(self._root / session_id / (folder or ""))

    async def kept(self) -> Mapping[str, Sequence[str]]:
        return await asyncio.to_thread(self._kept)

    async def forget(self, session_id: str, folder: str | None = None) -> None:
        await asyncio.to_thread(shutil.rmtree, self.path(session_id, folder), ignore_errors=True)

    def _keep(self, place: Path, files: Mapping[str, bytes]) -> None:
        if place.is_dir():
            return
        making = self._root / _MAKING
        making.mkdir(mode=0o700, parents=True, exist_ok=True)
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        made = Path(mkdtemp(dir=making))
        try:
            for name, content in files.items():
                _write(made / name, content)
            made.rename(place)
        except OSError:
            shutil.rmtree(made, ignore_errors=True)
            # Somebody else kept the same at the same moment.
            if not place.is_dir():
                raise
        for directory in (place, place.parent, self._root):
            _sync(directory)

    def _kept(self) -> Mapping[str, Sequence[str]]:
        """Also removes what was never finished: asked before anything is kept."""
        shutil.rmtree(self._root / _MAKING, ignore_errors=True)
        if not self._root.is_dir():
            return {}
        sessions = [each for each in self._root.iterdir() if each.is_dir()]
        return {session.name: [folder.name for folder in session.iterdir()] for session in sessions}


def _write(path: Path, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
