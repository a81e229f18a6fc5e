"""Every benchmark runs and gives its row; what the row says is for people, on a machine that they know."""

from collections.abc import Callable
from functools import partial

import pytest
from benchmarks import (
    answers,
    cancelled,
    command_help,
    delivery,
    fan_out,
    first_event,
    first_page,
    first_turn_ahead,
    idle_memory,
    next_turn,
    sessions,
    start_to_ready,
    stop_to_gone,
)
from benchmarks.__main__ import row
from benchmarks.figure import AtLeast, AtLeastTimes, AtMost, AtMostMore, AtMostTimes, Figure, Spread, Target


@pytest.mark.parametrize(
    ("measure", "what"),
    [
        pytest.param(partial(first_event.measure, rounds=1), "first assistant event", id="first-event"),
        pytest.param(partial(next_turn.measure, rounds=1), "warm next turn", id="next-turn"),
        pytest.param(partial(first_turn_ahead.measure, rounds=1), "connected ahead", id="ahead"),
        pytest.param(partial(fan_out.measure, rounds=1, events=150, readers=3), "3 SSE subscribers", id="fan-out"),
        pytest.param(partial(delivery.measure, seconds=0.2, rounds=1), "append to delivery", id="delivery"),
        pytest.param(partial(start_to_ready.measure, rounds=1), "start to /ready", id="ready"),
        pytest.param(partial(command_help.measure, rounds=1), "glasshouse --help", id="help"),
        pytest.param(partial(stop_to_gone.measure, rounds=1), "stop to every process gone", id="stop"),
        pytest.param(partial(cancelled.measure, tasks=2), "cancelled tasks", id="cancelled"),
        pytest.param(partial(answers.continuation, rounds=1), "answer to continuation", id="answer"),
        pytest.param(partial(answers.cost, rounds=2), "HTTP in to durable", id="answer-cost"),
        pytest.param(partial(answers.pending_page, many=20, rounds=1), "20 pending questions", id="pending"),
        pytest.param(partial(answers.pending_memory, many=20), "with 20 pending", id="pending-memory"),
        pytest.param(partial(sessions.cold_index, sessions=30, rounds=1), "cold index", id="index"),
        pytest.param(partial(sessions.warm_list, sessions=30, rounds=1), "warm list", id="list"),
        pytest.param(partial(sessions.search, sessions=30, rounds=1), "full-text search", id="search"),
        pytest.param(partial(sessions.memory, sessions=30), "peak memory", id="index-memory"),
        pytest.param(partial(sessions.growth, sessions=30, rounds=2), "growing in a terminal", id="growth"),
        pytest.param(partial(idle_memory.measure, rounds=1), "memory of the idle server", id="memory"),
        pytest.param(partial(first_page.measure, rounds=1, size=300_000), "first page of 0.3 MB", id="first-page"),
    ],
)
def test_a_benchmark_measures_both_sides_and_gives_its_row(measure: Callable[[], Figure], what: str) -> None:
    figure = measure()

    assert 0 < figure.baseline.p50 <= figure.baseline.p99
    assert 0 < figure.measured.p50 <= figure.measured.p99
    assert what in row(figure)
    assert str(figure.target) in row(figure)


def test_a_spread_is_the_median_and_the_worst_but_for_one_in_a_hundred() -> None:
    assert Spread.of([3, 1, 2]) == Spread(p50=2, p99=3)
    assert Spread.of([float(number) for number in range(1000)]) == Spread(p50=499.5, p99=990)


@pytest.mark.parametrize(
    ("target", "measured", "reached"),
    [
        (AtMostTimes(2), Spread(p50=20, p99=99), True),
        (AtMostTimes(2), Spread(p50=21, p99=30), False),
        (AtMostTimes(2, judged="p99"), Spread(p50=21, p99=60), True),
        (AtMostTimes(2, judged="p99"), Spread(p50=11, p99=61), False),
        (AtLeastTimes(0.7), Spread(p50=7, p99=8), True),
        (AtLeastTimes(0.7), Spread(p50=6, p99=8), False),
        (AtMost(300, "ms"), Spread(p50=300, p99=900), True),
        (AtMost(300, "ms"), Spread(p50=301, p99=302), False),
        (AtMostMore(50, "MiB"), Spread(p50=60, p99=900), True),
        (AtMostMore(50, "MiB"), Spread(p50=61, p99=61), False),
        (AtLeast(50, "a second"), Spread(p50=50, p99=60), True),
        (AtLeast(50, "a second"), Spread(p50=49, p99=60), False),
    ],
)
def test_a_target_is_reached_beside_its_baseline(target: Target, measured: Spread, reached: bool) -> None:
    figure = Figure("what", "ms", "a baseline", Spread(p50=10, p99=30), measured, target)

    assert figure.reached is reached
    assert ("yes" if reached else "NO") in row(figure)
