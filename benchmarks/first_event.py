"""From a request to the model's first words over SSE, beside the SDK alone: each time a new Claude Code."""

import asyncio
from collections.abc import Mapping
from time import perf_counter
from typing import Any

from benchmarks.commands import responder
from benchmarks.figure import AtMostTimes, Figure
from benchmarks.offline_endpoint import stage
from benchmarks.sse_client import events
from benchmarks.turns import in_turns_async
from glasshouse.testing.offline_model import Say, played
from glasshouse.testing.server_process import ServerProcess

_PROMPT = "Say hello."


def measure(*, rounds: int = 20) -> Figure:
    return asyncio.run(_measure(rounds))


async def _measure(rounds: int) -> Figure:
    async with (
        stage(played(_PROMPT, Say("Hello."))) as on,
        responder("benchmarks.bare_queries", str(on.server.workspace), _PROMPT, environment=on.environment) as bare,
    ):
        baseline, measured = await in_turns_async(
            rounds, lambda: bare.answer(""), lambda: _milliseconds_to_first_text(on.server)
        )
    return Figure(
        what="first assistant event over SSE, cold",
        unit="ms",
        baseline_is="query() of the SDK, same options, same endpoint",
        baseline=baseline,
        measured=measured,
        target=AtMostTimes(1.05),
    )


async def _milliseconds_to_first_text(server: ServerProcess) -> float:
    milliseconds, _ = await first_text(server, {"prompt": _PROMPT})
    return milliseconds


async def first_text(server: ServerProcess, body: Mapping[str, Any]) -> tuple[float, str]:
    """Milliseconds, and the session."""
    found, session_id = 0.0, ""
    begun = perf_counter()
    async for event in events(server.url, "/api/task/stream", server.headers, body):
        session_id = event["session_id"]
        if event["type"] == "text" and not found:
            found = (perf_counter() - begun) * 1000
    assert found, "the task ended without a word of the model"
    return found, session_id
