"""Glasshouse itself, on SQLite, with an engine that does nothing but emit.

`python -m benchmarks.scripted_server EVENTS` prints its port; it runs until it is told to end.
"""

import asyncio
import os
import socket
import sys
from collections.abc import Mapping
from dataclasses import replace

from benchmarks.fan_out_source import BURST, TEXT, Begin
from glasshouse.adapters.data_directory import DataDirectory
from glasshouse.bootstrap import Services, build
from glasshouse.bootstrap.sources import data_directory_of, read_settings
from glasshouse.contract.events import Text
from glasshouse.core.admission import Admission, TaskPolicy
from glasshouse.core.execution import Execution
from glasshouse.core.ports import Engine, Run
from glasshouse.core.workplaces import Workplaces
from glasshouse.entrypoints.http.server import Server
from glasshouse.testing.memory_sessions import MemorySessions
from glasshouse.testing.no_trees import NoTrees
from glasshouse.testing.scripted_engine import ScriptedEngine, Step


def emits(count: int) -> Step:
    """As fast as the log takes it, at the sign."""
    begin = Begin()

    async def step(run: Run) -> None:
        begin.listen()
        await begin.given()
        for first in range(0, count, BURST):
            burst = min(BURST, count - first)
            await asyncio.gather(*(run.emit(Text(content=TEXT, **run.stamp())) for _ in range(burst)))

    return step


def services_with(engine: ScriptedEngine) -> Services:
    settings = read_settings({}, os.environ)
    data = DataDirectory(data_directory_of(settings, os.environ))
    data.prepare()
    data.lock()
    services = build(settings, data, os.environ)
    engines: Mapping[str, Engine] = {engine.name: engine}
    return replace(
        services,
        engines=engines,
        admission=Admission(
            store=services.store,
            queue=services.queue,
            sessions=MemorySessions(),
            visible=services.visible,
            engines=engines,
            attachments=services.attachments,
            directories=services.directories,
            policy=TaskPolicy(allowed_tools=None, allow_bypass=False),
            clock=services.clock,
            language=settings.language,
        ),
        execution=Execution(
            store=services.store,
            engines=engines,
            attachments=services.attachments,
            clock=services.clock,
            language=settings.language,
            desk=services.desk,
            instructions=services.instructions,
            queue=services.queue,
            trees=NoTrees(),
            workplaces=Workplaces(services.store),
            timeout_s=0,
            tools_bound=None,
        ),
    )


def main() -> None:
    services = services_with(ScriptedEngine(emits(int(sys.argv[1]))))
    with socket.create_server(("127.0.0.1", 0), backlog=2048) as listener:
        port = listener.getsockname()[1]
        Server(services, on_ready=lambda: print(port, flush=True)).run(sockets=[listener])


if __name__ == "__main__":
    main()
