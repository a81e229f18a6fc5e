"""Which names are meant by a few letters."""

import pytest

from glasshouse.core.completion import ranked

NAMES = (
    "README.md",
    "docs/readings.md",
    "src/app/main.py",
    "src/app/remain.py",
    "src/domain/names.py",
    "src/main/other.py",
    "tests/test_main.py",
)


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("main.py", "src/app/main.py"),
        ("main", "src/main/"),
        ("MAIN.", "src/app/main.py"),
        ("src/app/", "src/app/"),
        ("./src/a", "src/app/"),
        ("read", "README.md"),
        ("tmain", "tests/test_main.py"),
        ("sdna", "src/domain/names.py"),
    ],
)
def test_the_best_comes_first(typed: str, first: str) -> None:
    assert ranked(NAMES, typed, 10)[0] == first


def test_with_nothing_typed_the_nearest_come_first() -> None:
    assert ranked(NAMES, "", 4) == ["src/", "docs/", "tests/", "README.md"]


def test_folders_are_offered_once() -> None:
    assert ranked(NAMES, "src/", 100).count("src/") == 1


def test_letters_that_are_not_there_in_this_order_find_nothing() -> None:
    assert ranked(NAMES, "niam", 10) == []
    assert ranked(NAMES, "main.[py", 10) == []


def test_no_more_are_given_than_were_asked_for() -> None:
    assert len(ranked((f"file{number}" for number in range(1000)), "f", 7)) == 7


def test_a_long_name_of_one_letter_costs_no_time() -> None:
    """faults: H3 (what is typed is a pattern, and must not be a costly one)"""
    assert ranked(["a" * 4000] * 100, "a" * 499 + "b", 10) == []
