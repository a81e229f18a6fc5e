"""From the request for a new session to the model's first words over SSE, in a directory that was connected ahead."""

import asyncio
from time import monotonic

from benchmarks.commands import responder
from benchmarks.family import descendants
from benchmarks.figure import AtMostTimes, Figure
from benchmarks.first_event import first_text
from benchmarks.offline_endpoint import stage
from benchmarks.turns import in_turns_async
from glasshouse.testing.offline_model import Say, played
from glasshouse.testing.server_process import ServerProcess

_PROMPT = "Say hello."
# The process of the last session, and the one that is connected for the next: each with its supervisor.
_KEPT = 4
_CONNECTED_WITHIN_S = 20.0


def measure(*, rounds: int = 20) -> Figure:
    return asyncio.run(_measure(rounds))


async def _measure(rounds: int) -> Figure:
    async with (
        stage(played(_PROMPT, Say("Hello.")), settings={"GLASSHOUSE_WARM_PROCESSES": "2"}) as on,
        responder("benchmarks.bare_queries", str(on.server.workspace), _PROMPT, environment=on.environment) as bare,
    ):
        await first_text(on.server, {"prompt": _PROMPT})

        async def first_turn() -> float:
            milliseconds, _ = await first_text(on.server, {"prompt": _PROMPT})
            return milliseconds

        async def cold() -> float:
            await _until_connected(on.server)
            return await bare.answer("")

        baseline, measured = await in_turns_async(rounds, cold, first_turn)
    return Figure(
        what="first assistant event, connected ahead",
        unit="ms",
        baseline_is="query() of the SDK cold, same options, same endpoint",
        baseline=baseline,
        measured=measured,
        target=AtMostTimes(0.35),
    )


async def _until_connected(server: ServerProcess) -> None:
    """Nothing tells: until as many are there as are kept, and stay."""
    until = monotonic() + _CONNECTED_WITHIN_S
    steady = 0
    while steady < 5:
        assert monotonic() < until, "nothing was connected ahead"
        await asyncio.sleep(0.1)
        steady = steady + 1 if len(descendants(server.pid)) == _KEPT else 0
