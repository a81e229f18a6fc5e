"""What two hundred cancelled tasks leave behind: no process but those that are kept on purpose, and no open file."""

import asyncio
import logging
from pathlib import Path

from benchmarks.family import descendants
from benchmarks.figure import AtMost, Figure, Spread
from benchmarks.offline_endpoint import stage
from benchmarks.sse_client import call
from glasshouse.testing.offline_model import Call, Conversation, Pause, Reply, Say
from glasshouse.testing.server_process import ServerProcess

_KEPT = 2
# Each with its supervisor.
_PROCESSES = 2 * _KEPT
_FIRST = 8
_AT_ONCE = 2


class _RunsOrTalks:
    def reply(self, conversation: Conversation) -> Reply | None:
        if conversation.replies:
            return (Say("Done."),)
        if conversation.prompt == "run":
            return (Call("Bash", {"command": "setsid sleep 600 & (env -i setsid sleep 600 &) ; touch begun; wait"}),)
        return (Say("I think "), Pause(60), Say("on.")) if conversation.prompt == "talk" else (Say("Hello."),)


def measure(*, tasks: int = 200) -> Figure:
    # It is told of every listener of the model's that was ended in mid-speech, which is what is done here.
    logging.getLogger("asyncio").setLevel(logging.ERROR)
    return asyncio.run(_measure(tasks))


async def _measure(tasks: int) -> Figure:
    async with stage(_RunsOrTalks(), settings={"GLASSHOUSE_WARM_PROCESSES": str(_KEPT)}) as on:
        server = on.server
        for first in range(0, _FIRST, _AT_ONCE):
            await _cancelled(server, first)
        before = await _open_files(server)
        for first in range(0, tasks, _AT_ONCE):
            await _cancelled(server, first)
        after = await _open_files(server)
        pids = descendants(server.pid)
        assert len(pids) <= _PROCESSES, f"left behind: {pids}"
    return Figure(
        what=f"open files after {tasks} cancelled tasks",
        unit="files",
        baseline_is=f"after the first {_FIRST}",
        baseline=Spread.of([before]),
        measured=Spread.of([after]),
        target=AtMost(before + 5, "files"),
        note=f"{len(pids)} processes below the server, of the {_PROCESSES} that it may keep",
    )


async def _cancelled(server: ServerProcess, number: int) -> None:
    """Some in the session of a kept process, some in a new one; some while a command runs, some in mid-speech."""
    begin = {"prompt": "hello", "tools": ["Bash"]}
    session = (await call("POST", server.url, "/api/task", server.headers, begin))["session_id"]
    bodies = [
        {"prompt": "run" if number % 4 else "talk", "tools": ["Bash"], "wait_s": 0, "resume": session},
        {"prompt": "talk" if number % 4 else "run", "tools": ["Bash"], "wait_s": 0.3},
    ][:_AT_ONCE]

    async def one(body: dict[str, object]) -> None:
        task = await call("POST", server.url, "/api/task", server.headers, body)
        await call("DELETE", server.url, f"/api/task/{task['task_id']}", server.headers)

    await asyncio.gather(*map(one, bodies))


async def _open_files(server: ServerProcess) -> float:
    """The fewest of some looks: a connection that is just closing is none of a task."""
    seen = []
    for _ in range(10):
        seen.append(_files_of(server.pid))
        await asyncio.sleep(0.1)
    return float(min(seen))


def _files_of(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))
