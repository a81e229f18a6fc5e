"""From `interrupt()` of the SDK to the end of the command's child, in a process that has imported the SDK.

`python -m benchmarks.bare_interrupt DIRECTORY` prints a line of milliseconds for every folder that it reads.
"""

import asyncio
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from time import perf_counter

import uvloop
from claude_agent_sdk import ClaudeSDKClient

from benchmarks.bare_options import options
from benchmarks.family import until_gone
from benchmarks.stubborn import Stubborn


async def milliseconds_to_end_of_child(working_dir: Path, stubborn: Stubborn) -> float:
    with options(working_dir, tools=("Bash",)) as chosen:
        async with ClaudeSDKClient(chosen) as client:
            await client.query(stubborn.command)
            reading = asyncio.create_task(_read(client))
            child, grandchild = await stubborn.child(), await stubborn.grandchild()
            try:
                begun = perf_counter()
                await client.interrupt()
                await until_gone([child])
                found = (perf_counter() - begun) * 1000
            finally:
                # It is in a session of its own: the SDK lets it live.
                with suppress(ProcessLookupError):
                    os.kill(grandchild, signal.SIGKILL)
            await reading
    return found


async def _read(client: ClaudeSDKClient) -> None:
    async for _ in client.receive_response():
        pass


def main() -> None:
    working_dir = Path(sys.argv[1])
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        for folder in sys.stdin:
            stubborn = Stubborn(Path(folder.strip()))
            print(runner.run(milliseconds_to_end_of_child(working_dir, stubborn)), flush=True)


if __name__ == "__main__":
    main()
