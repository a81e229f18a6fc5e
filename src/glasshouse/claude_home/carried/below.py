"""Skills and commands in folders below a working directory: Claude Code finds them while it works on files there.

Looking through all that is below costs too much before every start; it is done when one of them may be used.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from glasshouse.claude_home.carried.item import Item
from glasshouse.claude_home.carried.scan import texts_in

_MOST_ENTRIES = 200_000


class TooMuchBelow(Exception):
    """More is below the directory than can be looked through."""


def carried_below(working_dir: Path) -> list[Item]:
    """What would run or bring rights along. Blocking. Raises TooMuchBelow."""
    directory = Path(os.path.realpath(working_dir))
    return [each for folder in _folders(directory) for each in texts_in(folder, directory)]


def _folders(directory: Path) -> Iterator[Path]:
    """Every `.claude` below; links are not followed, Claude Code goes by the paths of the files that it works on."""
    waiting, left = [directory], _MOST_ENTRIES
    while waiting:
        folder = waiting.pop()
        try:
            entries = list(os.scandir(folder))
        except OSError:
            continue
        left -= len(entries)
        if left < 0:
            raise TooMuchBelow
        for entry in entries:
            if not entry.is_dir(follow_symlinks=False) or entry.name == ".git":
                continue
            path = Path(entry.path)
            if entry.name == ".claude" and folder != directory:
                yield path
            else:
                waiting.append(path)
