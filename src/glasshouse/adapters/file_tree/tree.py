"""What is in a working directory on this machine's disk."""

import asyncio
import os
from collections.abc import Iterable
from pathlib import Path

from glasshouse.adapters.file_tree.git import names_by_git
from glasshouse.adapters.file_tree.opening import open_below
from glasshouse.adapters.file_tree.walk import names_by_walking
from glasshouse.core.ports import Beginning, Names

# Somebody types, and waits.
_SECONDS = 2.0


class LocalFileTree:
    """The port `FileTree`."""

    async def names(self, directory: Path) -> Names:
        found = await names_by_git(directory, _SECONDS)
        if found is None:
            found = await asyncio.to_thread(names_by_walking, directory, _SECONDS)
        names, whole = found
        return Names(tuple(_readable(names)), whole)

    def beginning(self, directory: Path, path: Path, limit: int) -> Beginning | None:
        file = open_below(directory, path)
        if file is None:
            return None
        with file:
            try:
                return Beginning(file.read(limit), os.fstat(file.fileno()).st_size)
            except OSError:
                return None


def _readable(names: Iterable[bytes]) -> Iterable[str]:
    """A name that is no text cannot be typed, nor shown."""
    for name in names:
        try:
            text = name.decode()
        except UnicodeDecodeError:
            continue
        if text.isprintable():
            yield text
