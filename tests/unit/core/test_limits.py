"""So many in any window: exactly, for each key by itself, on the monotonic clock."""

import pytest

from glasshouse.core import limits
from glasshouse.core.limits import SlidingWindow
from glasshouse.testing.manual_clock import ManualClock


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


# faults: H4
def test_as_many_as_the_limit_pass_and_not_one_more(clock: ManualClock) -> None:
    window = SlidingWindow(10, clock)

    assert [window.take("a") for _ in range(12)] == [None] * 10 + [60, 60]


def test_a_refused_one_takes_nothing(clock: ManualClock) -> None:
    window = SlidingWindow(1, clock)
    window.take("a")
    for _ in range(5):
        clock.pass_by(11)
        window.take("a")

    clock.pass_by(5)
    assert window.take("a") is None


def test_in_any_window_not_in_fixed_minutes(clock: ManualClock) -> None:
    window = SlidingWindow(2, clock)
    window.take("a")
    clock.pass_by(59)
    window.take("a")

    clock.pass_by(1)
    assert window.take("a") is None
    assert window.take("a") == 59


@pytest.mark.parametrize(("passed", "wait"), [(0, 60), (0.5, 60), (59.2, 1), (59.999, 1)])
def test_it_says_how_long_to_wait_and_never_zero(clock: ManualClock, passed: float, wait: int) -> None:
    window = SlidingWindow(1, clock)
    window.take("a")
    clock.pass_by(passed)

    assert window.take("a") == wait


def test_each_key_has_its_own(clock: ManualClock) -> None:
    window = SlidingWindow(1, clock)

    assert window.take("a") is None
    assert window.take("b") is None


def test_looking_takes_nothing(clock: ManualClock) -> None:
    window = SlidingWindow(1, clock)
    for _ in range(5):
        assert window.full("a") is None

    assert window.take("a") is None
    assert window.full("a") == 60


def test_zero_is_no_limit(clock: ManualClock) -> None:
    window = SlidingWindow(0, clock)

    assert all(window.take("a") is None for _ in range(1000))


# faults: H4 I7
def test_a_wall_clock_that_jumps_neither_frees_nor_freezes_it(clock: ManualClock) -> None:
    window = SlidingWindow(1, clock)
    window.take("a")
    for year in (1970, 2038):
        clock.wall = clock.wall.replace(year=year)
        assert window.take("a") == 60

    clock.pass_by(60)
    assert window.take("a") is None


def test_addresses_that_come_once_are_forgotten(clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_KEYS_KEPT", 100)
    window = SlidingWindow(1, clock)
    for n in range(1000):
        window.take(str(n))

    assert len(window._taken) <= 100
