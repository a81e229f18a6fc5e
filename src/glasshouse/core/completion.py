"""Which names somebody who types a few letters means, best first."""

import heapq
import re
from collections.abc import Iterable, Sequence


def ranked(names: Iterable[str], typed: str, limit: int) -> list[str]:
    """Those that hold the letters in their order: in the last part rather than before, together rather than apart,
    at its beginning rather than within; then the nearer and the shorter. Of the folders of the names, too (`a/`)."""
    wanted = typed.lower().removeprefix("./")
    holds = _in_order(wanted)
    found = (name for name in _with_folders(names) if holds.match(name.lower()))
    return heapq.nsmallest(
        limit, found, key=lambda name: (_rank(name, wanted), name.count("/", 0, -1), len(name), name)
    )


def _with_folders(names: Iterable[str]) -> Sequence[str]:
    found: dict[str, None] = {}
    for name in names:
        end = len(name)
        # Upwards until a folder is known: all above it are known, too.
        while (end := name.rfind("/", 0, end)) >= 0 and (folder := name[: end + 1]) not in found:
            found[folder] = None
        found[name] = None
    return list(found)


def _in_order(letters: str) -> re.Pattern[str]:
    # What is passed over holds no sign of the next letter, so that there is nothing to be tried twice.
    return re.compile("".join(f"[^{re.escape(letter)}]*{re.escape(letter)}" for letter in letters))


def _rank(name: str, wanted: str) -> int:
    path = name.lower()
    last = path.rstrip("/").rpartition("/")[2]
    if wanted in ("", last, path, f"{last}/"):
        return 0
    if wanted not in path:
        return 6 if _in_order(wanted).match(last) is None else 5
    if wanted not in last:
        return 1 if path.startswith(wanted) else 4
    if path.startswith(wanted):
        return 1
    return 2 if last.startswith(wanted) else 3
