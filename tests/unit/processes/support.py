"""Where the programs of these tests work, and the ways to leave that they try."""

import asyncio
import os
import secrets
import select
import time
from asyncio.subprocess import Process
from collections.abc import Awaitable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from glasshouse.adapters.processes import SupervisedProcesses

# New ones for each run of the tests: another one beside it must not end our processes.
IDENTITY, OTHER_IDENTITY = secrets.token_hex(6), secrets.token_hex(6)

# Each says its name once it is gone that way.
RUNAWAYS = {
    "plain": "sh -c 'echo plain; exec sleep 600' &",
    "own session": "setsid sh -c 'echo own session; exec sleep 600' &",
    "orphan": "(sh -c 'echo orphan; exec sleep 600' &)",
    "no environment": "env -i setsid sh -c 'echo no environment; exec sleep 600' &",
    "orphan without environment": "(env -i setsid sh -c 'echo orphan without environment; exec sleep 600' &)",
    "deaf": "sh -c 'trap \"\" TERM INT HUP; echo deaf; while :; do sleep 600; done' &",
    "stopped": "sh -c 'echo stopped; kill -STOP $$' &",
}
ALL_WAYS = "\n".join(RUNAWAYS.values())


class Place:
    """A directory, and the processes that work in it: no change of environment, session or parent hides them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._programs = 0

    def left(self) -> list[int]:
        found = []
        for entry in Path("/proc").iterdir():
            # Others' processes, and those that end meanwhile.
            with suppress(OSError):
                if entry.name.isdigit() and (entry / "cwd").readlink().is_relative_to(self.path):
                    found.append(int(entry.name))
        return found

    def is_empty_within(self, seconds: float) -> bool:
        until = time.monotonic() + seconds
        while (left := self.left()) and (remaining := until - time.monotonic()) > 0:
            await_end(left[0], remaining)
        return not left

    def program(self, text: str) -> str:
        self._programs += 1
        path = self.path / f"program-{self._programs}"
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o700)
        return str(path)


class Server:
    """A server in a process of its own, which can be killed; see server.py."""

    def __init__(self, process: Process) -> None:
        self.process = process

    def tell(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n".encode())

    async def kill(self) -> None:
        """Not `wait`, which also waits for whoever else has its output."""
        self.process.kill()
        await asyncio.to_thread(await_end, self.process.pid, 20)


class Start(Protocol):
    def __call__(
        self,
        program: str,
        *arguments: str,
        run_id: str = ...,
        by: SupervisedProcesses = ...,
        environment: Mapping[str, str] = ...,
    ) -> Awaitable[Process]:
        """Start a program as the first of a run, as a server does."""


class StartServer(Protocol):
    def __call__(self, *, identity: str = ..., below: SupervisedProcesses | None = ...) -> Awaitable[Server]: ...


async def said(process: Process, count: int) -> list[str]:
    """The next lines of a program."""
    assert process.stdout is not None
    async with asyncio.timeout(20):
        return [(await process.stdout.readline()).decode().strip() for _ in range(count)]


def await_end(pid: int, seconds: float) -> None:
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        poll.poll(seconds * 1000)
    finally:
        os.close(descriptor)
