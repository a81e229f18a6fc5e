"""Which processes belong to a run, and their certain end.

One that cleared its environment is told by its parents alone, so it is lost if its supervisor was killed before it.
Linux only: nothing elsewhere (no /proc, no pidfd, no sub-reapers) could keep the port's promise.
"""

import asyncio
import os
import re
import select
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from glasshouse.adapters.processes import proc, supervisor
from glasshouse.adapters.processes.launcher import LauncherUnusable, write_launcher
from glasshouse.core.ports import ProcessesRemain

# A supervisor ends by itself once it has ended what is below it; only one that is stuck is ended before.
_SUPERVISORS_GRACE_S = 1.0
_DEADLINE_S = 5.0
# How many are awaited at a time: each needs a descriptor.
_AWAITED = 200


class SupervisedProcesses:
    def __init__(self, directory: Path, identity: str) -> None:
        """`identity` tells our runs from those of every other data directory. Raises LauncherUnusable."""
        if sys.platform != "linux":
            raise LauncherUnusable("runs need Linux: elsewhere nothing guarantees that all they start is ended")
        # Some shells drop variables of other names.
        if not re.fullmatch("[0-9a-z]+", identity):
            raise ValueError(f"not a name for a variable: {identity!r}")
        self.launcher = str(write_launcher(directory))
        self._variable = f"GLASSHOUSE_RUN_{identity}"

    def environment(self, run_id: str, program: str) -> Mapping[str, str]:
        return {self._variable: run_id, supervisor.PROGRAM: program, supervisor.SERVER: str(os.getpid())}

    async def end(self, run_id: str, *, leave_s: float = 0.0) -> None:
        marker = f"\0{self._variable}={run_id}\0".encode()
        if leave_s:
            await asyncio.to_thread(_ask_to_leave, marker, leave_s)
        await asyncio.to_thread(_end, marker)

    async def strays(self, run_id: str) -> Sequence[int]:
        return await asyncio.to_thread(_strays, f"\0{self._variable}={run_id}\0".encode())

    async def sweep(self) -> int:
        return await asyncio.to_thread(_end, f"\0{self._variable}=".encode())


def _strays(marker: bytes) -> Sequence[int]:
    members = {process.pid: process for process in _members(marker)}
    at_home = {pid for pid, process in members.items() if process.name == supervisor.NAME}
    # The program is its supervisor's first child; whatever else is one has lost its own parent.
    children = sorted((process.started, pid) for pid, process in members.items() if process.parent in at_home)
    at_home.update(pid for _, pid in children[:1])
    programs = {pid for _, pid in children[:1]}
    return [pid for pid in members if pid not in at_home and programs.isdisjoint(_lineage(pid, members))]


def _ask_to_leave(marker: bytes, seconds: float) -> None:
    """The run's program, by a signal that its supervisor passes on."""
    supervisors = [process for process in _members(marker) if process.name == supervisor.NAME]
    for process in supervisors:
        proc.send(process, signal.SIGTERM)
    _await_end(supervisors, seconds)


def _end(marker: bytes) -> int:
    """How many processes that were. Again until none is found, for what is killed may have forked before it was."""
    begun = time.monotonic()
    ended: set[tuple[int, int]] = set()
    while members := _members(marker):
        so_far = time.monotonic() - begun
        if so_far > _DEADLINE_S:
            raise ProcessesRemain(tuple(process.pid for process in members))
        ended.update((process.pid, process.started) for process in members)
        for process in members:
            if process.name != supervisor.NAME or so_far > _SUPERVISORS_GRACE_S:
                proc.kill(process)
        _await_end(members[:_AWAITED], min(_SUPERVISORS_GRACE_S, _DEADLINE_S - so_far))
    return len(ended)


def _members(marker: bytes) -> Sequence[proc.Process]:
    """Who carries the marker, and all below them; parents before children. Never ourselves or who we are below."""
    running = proc.running()
    spared = set(_lineage(os.getpid(), running))
    carriers = {pid for pid in running if pid not in spared and proc.has_in_environment(pid, marker)}
    children: dict[int, list[proc.Process]] = {}
    for process in running.values():
        children.setdefault(process.parent, []).append(process)
    queue = [running[pid] for pid in carriers if running[pid].parent not in carriers]
    found = {}
    for process in queue:
        if process.pid not in found:
            found[process.pid] = process
            queue += children.get(process.pid, [])
    return tuple(found.values())


def _lineage(pid: int, running: Mapping[int, proc.Process]) -> Iterator[int]:
    while pid in running:
        yield pid
        pid = running[pid].parent


def _await_end(processes: Sequence[proc.Process], seconds: float) -> None:
    """Until all have ended, at most for so long."""
    until = time.monotonic() + seconds
    with ExitStack() as held:
        waiting = select.poll()
        left = 0
        for process in processes:
            descriptor = held.enter_context(proc.handle(process))
            if descriptor is not None:
                waiting.register(descriptor, select.POLLIN)
                left += 1
        while left and (remaining := until - time.monotonic()) > 0:
            for descriptor, _ in waiting.poll(remaining * 1000):
                waiting.unregister(descriptor)
                left -= 1
