"""From `query()` of the SDK to the model's first message, in a process that has imported the SDK and nothing to do.

`python -m benchmarks.bare_queries DIRECTORY PROMPT` prints a line of milliseconds for every line that it reads.
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from time import perf_counter
from typing import Any

import uvloop
from claude_agent_sdk import AssistantMessage, query

from benchmarks.bare_options import options


async def milliseconds_to_first_message(working_dir: Path, prompt: str) -> float:
    found = 0.0
    with options(working_dir) as chosen:
        begun = perf_counter()
        async for message in query(prompt=_message(prompt), options=chosen):
            if isinstance(message, AssistantMessage) and not found:
                found = (perf_counter() - begun) * 1000
    return found


async def _message(prompt: str) -> AsyncIterator[dict[str, Any]]:
    yield {"type": "user", "message": {"role": "user", "content": prompt}, "parent_tool_use_id": None}


def main() -> None:
    working_dir, prompt = Path(sys.argv[1]), sys.argv[2]
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        for _ in sys.stdin:
            print(runner.run(milliseconds_to_first_message(working_dir, prompt)), flush=True)


if __name__ == "__main__":
    main()
