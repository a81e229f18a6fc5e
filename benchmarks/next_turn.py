"""From the request for a session's next turn to the model's first words over SSE, beside a connected SDK client."""

import asyncio

from benchmarks.commands import responder
from benchmarks.family import descendants
from benchmarks.figure import AtMostTimes, Figure
from benchmarks.first_event import first_text
from benchmarks.offline_endpoint import stage
from benchmarks.turns import in_turns_async
from glasshouse.testing.offline_model import Say, played

_PROMPT = "Say hello."


def measure(*, rounds: int = 40) -> Figure:
    return asyncio.run(_measure(rounds))


async def _measure(rounds: int) -> Figure:
    async with (
        stage(played(_PROMPT, Say("Hello.")), settings={"GLASSHOUSE_WARM_PROCESSES": "1"}) as on,
        responder("benchmarks.bare_client", str(on.server.workspace), _PROMPT, environment=on.environment) as bare,
    ):
        _, session_id = await first_text(on.server, {"prompt": _PROMPT})
        kept = descendants(on.server.pid)

        async def next_turn() -> float:
            milliseconds, _ = await first_text(on.server, {"prompt": _PROMPT, "resume": session_id})
            return milliseconds

        baseline, measured = await in_turns_async(rounds, lambda: bare.answer(""), next_turn)
        assert descendants(on.server.pid) == kept, "it was not always the same process"
    return Figure(
        what="first assistant event, warm next turn",
        unit="ms",
        baseline_is="the next turn of a connected ClaudeSDKClient, same options, same endpoint",
        baseline=baseline,
        measured=measured,
        target=AtMostTimes(1.15),
    )
