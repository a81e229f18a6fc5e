"""Glasshouse with an engine that says what an agent says, at a given rate: thoughts, texts as they are typed, tools.

`python -m benchmarks.talkative_server EVENTS RATE` prints its port; each task begins at SIGUSR1.
"""

import asyncio
import socket
import sys
from collections.abc import Iterator
from itertools import count, islice

from benchmarks.fan_out_source import Begin
from benchmarks.scripted_server import services_with
from glasshouse.contract.events import (
    DurableEvent,
    LiveEvent,
    Text,
    TextDelta,
    Thinking,
    ThinkingDelta,
    ToolInputDelta,
    ToolResult,
    ToolUse,
)
from glasshouse.core.ports import Run
from glasshouse.entrypoints.http.server import Server
from glasshouse.testing.scripted_engine import ScriptedEngine, Step

_TICKS_A_SECOND = 50
_WORDS = ("The **total** is ", "rounded for `each item`, ", "so the errors add up ", "with their number. ")
_CODE = "\n\n```python\ndef total(prices):\n    return round(sum(prices), 2)\n```\n\n- one\n- two\n\n"
_OUTPUT = "\n".join(f"tests/test_{number}.py \x1b[32m........\x1b[0m [{number:3d}%]" for number in range(12))
_THOUGHTS, _PIECES, _TYPED = 30, 100, 12


def talks(events: int, rate: int) -> Step:
    begin = Begin()

    async def step(run: Run) -> None:
        begin.listen()
        await begin.given()
        loop = asyncio.get_running_loop()
        began = loop.time()
        said = _said(run)
        for tick in range(events * _TICKS_A_SECOND // rate):
            for event in islice(said, rate // _TICKS_A_SECOND):
                if isinstance(event, LiveEvent):
                    run.show(event)
                else:
                    await run.emit(event)
            await asyncio.sleep(max(0.0, began + (tick + 1) / _TICKS_A_SECOND - loop.time()))

    return step


def _said(run: Run) -> Iterator[DurableEvent | LiveEvent]:
    """Without an end, message after message; most of it is pieces of what is being typed, as from a model."""
    for number in count():
        at = {"message_id": f"msg_{number}"}
        thoughts = ["rounding, again: "] * _THOUGHTS
        for thought in thoughts:
            yield ThinkingDelta(content=thought, block=0, **at, **run.stamp())
        yield Thinking(content="".join(thoughts), block=0, **at, **run.stamp())
        pieces = [_CODE if place % 50 == 49 else _WORDS[place % len(_WORDS)] for place in range(_PIECES)]
        for piece in pieces:
            yield TextDelta(content=piece, block=1, **at, **run.stamp())
        yield Text(content="".join(pieces), block=1, **at, **run.stamp())
        for tool, tool_input in (
            ("Bash", {"command": f"pytest -q tests/{number}"}),
            ("Edit", {"file_path": "cart.py", "old_string": "a = 1\nb = 2\n", "new_string": "a = 1\nb = 3\n"}),
        ):
            call = {"tool_name": tool, "tool_use_id": f"call_{number}_{tool}", **run.stamp()}
            for _ in range(_TYPED):
                yield ToolInputDelta(content='"piece of JSON" ', **call)
            yield ToolUse(content=tool, tool_input=tool_input, **call)
            yield ToolResult(content=_OUTPUT, is_error=False, **call)


def main() -> None:
    services = services_with(ScriptedEngine(talks(int(sys.argv[1]), int(sys.argv[2]))))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        Server(services, on_ready=lambda: print(port, flush=True)).run(sockets=[listener])


if __name__ == "__main__":
    main()
