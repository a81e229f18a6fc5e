"""Processes: who descends from whom, and who is still there."""

import asyncio
from collections.abc import Collection
from pathlib import Path

_GONE_WITHIN_S = 30.0


def descendants(pid: int) -> set[int]:
    """Those whose ancestor it is at this moment."""
    children: dict[int, list[int]] = {}
    for number in (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()):
        if (found := _state_and_parent(number)) is not None:
            children.setdefault(found[1], []).append(number)
    below = list(children.get(pid, ()))
    for one in below:
        below.extend(children.get(one, ()))
    return set(below)


async def until_gone(pids: Collection[int]) -> None:
    async with asyncio.timeout(_GONE_WITHIN_S):
        # Nobody tells who is not the parent.
        while any(_runs(pid) for pid in pids):  # noqa: ASYNC110
            await asyncio.sleep(0.001)


def _runs(pid: int) -> bool:
    found = _state_and_parent(pid)
    return found is not None and found[0] != "Z"


def _state_and_parent(pid: int) -> tuple[str, int] | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    state, parent = stat.rpartition(")")[2].split()[:2]
    return state, int(parent)
