"""The figure of `append_to_delivery`."""

import asyncio

import uvloop

from benchmarks import append_to_delivery
from benchmarks.figure import AtMostTimes, Figure, Spread


def measure(*, seconds: float = append_to_delivery.SECONDS, rounds: int = append_to_delivery.ROUNDS) -> Figure:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        found = runner.run(append_to_delivery.measure(seconds=seconds, rounds=rounds))
    return Figure(
        what="append to delivery, 1,000 events/s",
        unit="ms",
        baseline_is="a bare SQLite writer thread with group commit",
        baseline=Spread(found["bare_p50_ms"], found["bare_p99_ms"]),
        measured=Spread(found["store_p50_ms"], found["store_p99_ms"]),
        target=AtMostTimes(append_to_delivery.TARGET, judged="p99"),
        note=(
            f"to 100 subscribers {found['crowd_p50_ms']} / {found['crowd_p99_ms']} ms; "
            f"20,000 events/s to 100 subscribers {found['flood_p50_ms']} / {found['flood_p99_ms']} ms"
        ),
    )
