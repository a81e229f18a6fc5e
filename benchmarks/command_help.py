"""`glasshouse --help` beside an interpreter that does nothing."""

from benchmarks.commands import milliseconds_of
from benchmarks.figure import AtMostTimes, Figure
from benchmarks.turns import in_turns


def measure(*, rounds: int = 40) -> Figure:
    baseline, measured = in_turns(
        rounds, lambda: milliseconds_of("-c", "pass"), lambda: milliseconds_of("-m", "glasshouse", "--help")
    )
    return Figure(
        what="glasshouse --help",
        unit="ms",
        baseline_is="python -c pass",
        baseline=baseline,
        measured=measured,
        target=AtMostTimes(4),
    )
