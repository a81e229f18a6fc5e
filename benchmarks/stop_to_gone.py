"""From the DELETE of a task to the end of every process that it started, also of one that left for another session."""

import asyncio
from time import perf_counter

from benchmarks.commands import Responder, responder
from benchmarks.family import descendants, until_gone
from benchmarks.figure import AtMost, Figure
from benchmarks.offline_endpoint import stage
from benchmarks.sse_client import call
from benchmarks.stubborn import stubborn
from benchmarks.turns import in_turns_async
from glasshouse.testing.offline_model import Call, Conversation, Reply
from glasshouse.testing.server_process import ServerProcess


class _RunsItsPrompt:
    def reply(self, conversation: Conversation) -> Reply | None:
        return None if conversation.replies else (Call("Bash", {"command": conversation.prompt}),)


def measure(*, rounds: int = 10) -> Figure:
    return asyncio.run(_measure(rounds))


async def _measure(rounds: int) -> Figure:
    async with (
        stage(_RunsItsPrompt()) as on,
        responder("benchmarks.bare_interrupt", str(on.server.workspace), environment=on.environment) as bare,
    ):
        baseline, measured = await in_turns_async(rounds, lambda: _interrupted(bare), lambda: _stopped(on.server))
    return Figure(
        what="stop to every process gone",
        unit="ms",
        baseline_is="interrupt() of the SDK to its child gone",
        baseline=baseline,
        measured=measured,
        target=AtMost(300, "ms"),
        note="beside the child: Claude Code itself, and a grandchild in a session of its own, which the SDK lets live",
    )


async def _interrupted(bare: Responder) -> float:
    with stubborn() as command:
        return await bare.answer(str(command.folder))


async def _stopped(server: ServerProcess) -> float:
    with stubborn() as command:
        body = {"prompt": command.command, "tools": ["Bash"], "wait_s": 0}
        task = await call("POST", server.url, "/api/task", server.headers, body)
        started = {await command.child(), await command.grandchild(), *descendants(server.pid)}
        begun = perf_counter()
        stopping = call("DELETE", server.url, f"/api/task/{task['task_id']}", server.headers)
        await asyncio.gather(until_gone(started), stopping)
        return (perf_counter() - begun) * 1000
