"""Reading transcripts: a little of them in a thread, much of them in processes, so that nobody waits for the parsing.

The processes are there while there is much to read. They end with their input, so that none outlives the server.
"""

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncGenerator, Iterator, Sequence
from itertools import islice

import orjson

from glasshouse.claude_home.digesting import LENGTH_BYTES, Found, Job, digested

# In a session of their own: Ctrl+C is for the server, which then lets them go.
_PROGRAM = (sys.executable, "-I", "-m", "glasshouse.claude_home.digesting")
_PROCESSES = max(1, min(4, os.cpu_count() or 1))
# Jobs that a process has before it; enough that it never waits for the next.
_AHEAD = 16
_STREAM_BUFFER = 256 * 1024


class DiggerDied(Exception):
    pass


class Diggers:
    def __init__(self) -> None:
        self._processes: list[Process] = []

    async def here(self, job: Job) -> Sequence[Found]:
        """In a thread: for what is small."""
        return await asyncio.to_thread(lambda: list(digested(job)))

    async def far(self, jobs: Sequence[Job]) -> AsyncGenerator[Found, None]:
        """In processes: the parts of one file in order, the files as they come. Raises DiggerDied."""
        while len(self._processes) < min(_PROCESSES, len(jobs)):
            self._processes.append(await _started())
        waiting = iter(jobs)
        found: asyncio.Queue[Found | DiggerDied | None] = asyncio.Queue(maxsize=4 * _PROCESSES)
        work = [asyncio.create_task(_dig(process, waiting, found)) for process in self._processes]
        at_work = len(work)
        try:
            while at_work:
                match await found.get():
                    case None:
                        at_work -= 1
                    case DiggerDied() as death:
                        raise death
                    case part:
                        yield part
        finally:
            for each in work:
                each.cancel()
            await asyncio.gather(*work, return_exceptions=True)
            if at_work:
                # What they still have to say belongs to nobody.
                await self.rest()

    async def rest(self) -> None:
        """Let the processes go, until there is much to read again."""
        processes, self._processes = self._processes, []
        for process in processes:
            if process.returncode is None:
                process.kill()
        await asyncio.gather(*(process.wait() for process in processes))


async def _started() -> Process:
    return await asyncio.create_subprocess_exec(
        *_PROGRAM,
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,
        env={},
        cwd="/",
        start_new_session=True,
        limit=_STREAM_BUFFER,
    )


async def _dig(process: Process, jobs: Iterator[Job], found: "asyncio.Queue[Found | DiggerDied | None]") -> None:
    assert process.stdin is not None and process.stdout is not None
    before_it = 0
    try:
        while True:
            if before_it <= _AHEAD // 2:
                more = list(islice(jobs, _AHEAD - before_it))
                if more:
                    process.stdin.write(orjson.dumps(more) + b"\n")
                    before_it += len(more)
                    await process.stdin.drain()
            if not before_it:
                break
            length = int.from_bytes(await process.stdout.readexactly(LENGTH_BYTES), "big")
            fields = orjson.loads(await process.stdout.readexactly(length))
            part = Found(**fields)
            before_it -= part.is_last
            await found.put(part)
    except (OSError, asyncio.IncompleteReadError) as end:
        await found.put(DiggerDied(str(end)))
    await found.put(None)
