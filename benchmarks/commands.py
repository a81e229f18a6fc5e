"""Programs that are timed or that time for us, in the interpreter that runs the benchmarks."""

import asyncio
import subprocess
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from time import perf_counter

_ENDS_WITHIN_S = 60


def milliseconds_of(*arguments: str) -> float:
    """From the start of `python …` to its end."""
    begun = perf_counter()
    subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True, timeout=_ENDS_WITHIN_S)
    return (perf_counter() - begun) * 1000


class Responder:
    """A program that answers every line with a number."""

    def __init__(self, process: Process) -> None:
        self._process = process

    async def answer(self, line: str) -> float:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(f"{line}\n".encode())
        async with asyncio.timeout(_ENDS_WITHIN_S):
            answer = await self._process.stdout.readline()
        assert answer, "the program ended instead of answering"
        return float(answer)


@asynccontextmanager
async def responder(module: str, *arguments: str, environment: Mapping[str, str]) -> AsyncIterator[Responder]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", module, *arguments, env=environment, stdin=PIPE, stdout=PIPE
    )
    assert process.stdin is not None
    try:
        yield Responder(process)
    finally:
        # The end of its input is its end.
        process.stdin.close()
        await process.wait()
