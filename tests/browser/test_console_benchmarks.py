"""The console's benchmarks run and give their rows; what the rows say is for people, on a machine that they know."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from benchmarks import console_cold, console_events
from benchmarks.__main__ import row
from benchmarks.figure import Figure
from playwright.sync_api import Browser


@pytest.mark.parametrize(
    ("measure", "what"),
    [
        pytest.param(partial(console_cold.measure, rounds=1), "usable composer", id="cold"),
        pytest.param(partial(console_events.frames, rounds=1, events=1_000), "frames", id="frames"),
        pytest.param(partial(console_events.longest_task, rounds=1, events=1_000), "longest task", id="task"),
    ],
)
def test_a_benchmark_of_the_console_gives_its_row(browser: Browser, measure: Callable[[], Figure], what: str) -> None:
    # In a thread of its own: the browser of these tests has this one.
    with ThreadPoolExecutor(1) as thread:
        figure = thread.submit(measure).result()

    assert 0 < figure.measured.p50 <= figure.measured.p99
    assert what in row(figure)
    assert str(figure.target) in row(figure)
