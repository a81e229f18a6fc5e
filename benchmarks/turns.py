"""Two things measured in turns, because the machine is shared: what disturbs it must not disturb one of them only."""

from collections.abc import Awaitable, Callable

from benchmarks.figure import Spread


def in_turns(rounds: int, baseline: Callable[[], float], measured: Callable[[], float]) -> tuple[Spread, Spread]:
    """The first of each warms what both use, and is not counted."""
    baseline()
    measured()
    pairs = [(baseline(), measured()) for _ in range(rounds)]
    return Spread.of([first for first, _ in pairs]), Spread.of([second for _, second in pairs])


async def in_turns_async(
    rounds: int, baseline: Callable[[], Awaitable[float]], measured: Callable[[], Awaitable[float]]
) -> tuple[Spread, Spread]:
    await baseline()
    await measured()
    pairs = [(await baseline(), await measured()) for _ in range(rounds)]
    return Spread.of([first for first, _ in pairs]), Spread.of([second for _, second in pairs])
