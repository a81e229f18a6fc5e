"""The processes of this machine as /proc shows them, and signals that never reach another one of the same number."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

# Ended meanwhile, or somebody else's.
_NOT_TO_BE_SEEN = (FileNotFoundError, ProcessLookupError, PermissionError)


@dataclass(frozen=True, slots=True)
class Process:
    """`started`, in ticks since boot, tells it from an earlier or later one of the same number."""

    pid: int
    parent: int
    started: int
    name: str


def running() -> dict[int, Process]:
    """Who ended and was not waited for yet does not count."""
    found = {}
    with os.scandir("/proc") as entries:
        numbers = [int(entry.name) for entry in entries if entry.name.isdigit()]
    for number in numbers:
        if process := process_of(number):
            found[process.pid] = process
    return found


def process_of(pid: int) -> Process | None:
    try:
        before, _, after = _read(f"/proc/{pid}/stat").rpartition(b") ")
    except _NOT_TO_BE_SEEN:
        return None
    fields = after.split()
    state, parent, threads, started = fields[0], int(fields[1]), int(fields[17]), int(fields[19])
    # With more threads than one it is only the first of them that has ended.
    if state in b"ZX" and threads <= 1:
        return None
    return Process(pid, parent, started, os.fsdecode(before.partition(b"(")[2]))


def has_in_environment(pid: int, text: bytes) -> bool:
    """In what it was started with; not so where we may not look."""
    try:
        return text in b"\0" + _read(f"/proc/{pid}/environ")
    except _NOT_TO_BE_SEEN:
        return False


def _read(path: str) -> bytes:
    """Of hundreds of processes after every task: without what `open` does beside."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        parts = []
        while part := os.read(descriptor, 1 << 16):
            parts.append(part)
        return b"".join(parts)
    finally:
        os.close(descriptor)


@contextmanager
def handle(process: Process) -> Iterator[int | None]:
    """A descriptor of just this process, readable once it has ended; None if it is gone."""
    try:
        descriptor = os.pidfd_open(process.pid)
    except ProcessLookupError:
        yield None
        return
    try:
        now = process_of(process.pid)
        yield descriptor if now is not None and now.started == process.started else None
    finally:
        os.close(descriptor)


def kill(process: Process) -> None:
    send(process, signal.SIGKILL)


def send(process: Process, number: signal.Signals) -> None:
    """Does nothing to who is gone, or not ours to end."""
    with handle(process) as descriptor:
        if descriptor is not None:
            with suppress(ProcessLookupError, PermissionError):
                signal.pidfd_send_signal(descriptor, number)
