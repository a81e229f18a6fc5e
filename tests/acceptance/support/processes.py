"""Who works in a directory, and who is below a process: seen from outside, in /proc."""

import asyncio
import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from glasshouse.adapters.processes import proc


async def until(condition: Callable[[], object], within_s: float = 20.0) -> None:
    """For what other processes do, of which nothing tells us. Raises TimeoutError."""
    deadline = time.monotonic() + within_s
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError("it did not come about")
        await asyncio.sleep(0.02)


def working_in(directory: Path) -> dict[int, str]:
    """Processes by their working directory: no change of environment, session or parent hides them."""
    found = {}
    for process in proc.running().values():
        # Others' processes, and those that end meanwhile.
        with suppress(OSError):
            if Path(f"/proc/{process.pid}/cwd").readlink().is_relative_to(directory):
                found[process.pid] = command_of(process.pid)
    return found


def at_work_in(directory: Path) -> dict[int, str]:
    """As `working_in`, but for Claude Codes that a server keeps for their session's next task."""
    return {pid: command for pid, command in working_in(directory).items() if not _is_kept(pid)}


def strays_in(directory: Path) -> dict[int, str]:
    """As `left_in`, but for such as are kept."""
    strays = at_work_in(directory)
    for pid in strays:
        kill(pid)
    return strays


def _is_kept(pid: int) -> bool:
    process = proc.process_of(pid)
    return process is None or "glasshouse-run" in (process.name, name_of(process.parent))


def left_in(directory: Path) -> dict[int, str]:
    """Who still works there when a test is over; ended, so that a test that fails leaves nobody behind either."""
    left = working_in(directory)
    for pid in left:
        kill(pid)
    return left


def below(pid: int) -> list[int]:
    """All descendants, parents before children."""
    running = proc.running()
    found = [pid]
    for parent in found:
        found += [process.pid for process in running.values() if process.parent == parent]
    return found[1:]


def kill(pid: int, number: signal.Signals = signal.SIGKILL) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def name_of(pid: int) -> str:
    process = proc.process_of(pid)
    return "" if process is None else process.name


def all_command_lines() -> str:
    return "\n".join(command_of(pid) for pid in proc.running())


def command_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""
