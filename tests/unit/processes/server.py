"""A server as small as one can be, told by lines on its input: `start PROGRAM`, `bare PROGRAM`, `end`, `sweep`."""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

import uvloop

from glasshouse.adapters.processes import SupervisedProcesses


async def serve(directory: str, identity: str) -> None:
    processes = SupervisedProcesses(Path(directory), identity)
    children = []
    while line := await asyncio.to_thread(sys.stdin.readline):
        command, _, program = line.rstrip("\n").partition(" ")
        if command == "start":
            environment = {**os.environ, **processes.environment("run-1", program)}
            children.append(await asyncio.create_subprocess_exec(processes.launcher, env=environment, stdin=PIPE))
        elif command == "bare":
            children.append(await asyncio.create_subprocess_exec(program, stdin=PIPE))
        elif command == "end":
            await processes.end("run-1")
            print("ended", flush=True)
        elif command == "sweep":
            print("swept", await processes.sweep(), flush=True)


if __name__ == "__main__":
    loops = {"asyncio": asyncio.new_event_loop, "uvloop": uvloop.new_event_loop}
    with asyncio.Runner(loop_factory=loops[sys.argv[1]]) as runner:
        runner.run(serve(*sys.argv[2:]))
