"""The names below a directory where there is no repository: nearest first, within bounds, and no link is followed."""

import os
import time
from collections import deque
from pathlib import Path

_NAMES = 50_000
# They are large, and nobody's own work.
_PASSED_OVER = frozenset({b".git", b".hg", b".svn", b"node_modules", b"__pycache__", b".venv", b".cache", b".tox"})


def names_by_walking(directory: Path, seconds: float) -> tuple[list[bytes], bool]:
    """Relative to the directory, and whether these are all. Blocking."""
    deadline = time.monotonic() + seconds
    begins = len(os.fsencode(directory)) + 1
    names: list[bytes] = []
    folders = deque([os.fsencode(directory)])
    while folders:
        folder = folders.popleft()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if len(names) >= _NAMES or time.monotonic() > deadline:
                        return names, False
                    if not entry.is_dir(follow_symlinks=False):
                        names.append(entry.path[begins:])
                    elif entry.name not in _PASSED_OVER:
                        folders.append(entry.path)
        except OSError:
            continue  # it may not be read, or is gone
    return names, True
