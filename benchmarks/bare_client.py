"""From `ClaudeSDKClient.query()` to the model's first message, in a client that is connected and has had its turns.

`python -m benchmarks.bare_client DIRECTORY PROMPT` prints a line of milliseconds for every line that it reads.
"""

import asyncio
import sys
from pathlib import Path
from time import perf_counter

import uvloop
from claude_agent_sdk import AssistantMessage, ClaudeSDKClient

from benchmarks.bare_options import options


async def milliseconds_to_first_message(client: ClaudeSDKClient, prompt: str) -> float:
    found = 0.0
    begun = perf_counter()
    await client.query(prompt)
    async for message in client.receive_response():
        if isinstance(message, AssistantMessage) and not found:
            found = (perf_counter() - begun) * 1000
    return found


async def answer_lines(working_dir: Path, prompt: str) -> None:
    loop = asyncio.get_running_loop()
    with options(working_dir) as chosen:
        async with ClaudeSDKClient(chosen) as client:
            while await loop.run_in_executor(None, sys.stdin.readline):
                print(await milliseconds_to_first_message(client, prompt), flush=True)


def main() -> None:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(answer_lines(Path(sys.argv[1]), sys.argv[2]))


if __name__ == "__main__":
    main()
