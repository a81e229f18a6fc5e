"""`python -m benchmarks [NAME …]`: measures, and prints a table."""

import argparse
import sys
from collections.abc import Callable, Mapping

from benchmarks import (
    answers,
    cancelled,
    clone_to_console,
    command_help,
    console_cold,
    console_events,
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
from benchmarks.figure import Figure, Spread

BENCHMARKS: Mapping[str, Callable[[], Figure]] = {
    "first-event": first_event.measure,
    "next-turn": next_turn.measure,
    "ahead": first_turn_ahead.measure,
    "fan-out": fan_out.measure,
    "delivery": delivery.measure,
    "ready": start_to_ready.measure,
    "help": command_help.measure,
    "stop": stop_to_gone.measure,
    "cancelled": cancelled.measure,
    "memory": idle_memory.measure,
    "first-page": first_page.measure,
    "answer": answers.continuation,
    "answer-cost": answers.cost,
    "pending": answers.pending_page,
    "pending-memory": answers.pending_memory,
    "index": sessions.cold_index,
    "list": sessions.warm_list,
    "search": sessions.search,
    "index-memory": sessions.memory,
    "growth": sessions.growth,
    "console-cold": console_cold.measure,
    "console-frames": console_events.frames,
    "console-task": console_events.longest_task,
}
# They fetch from package registries: only when they are named.
WITH_A_NETWORK: Mapping[str, Callable[[], Figure]] = {"clone": clone_to_console.measure}

_COLUMNS = "{:<36} {:>20} {:>20} {:>7}  {:<12} {:<7}  {}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    known = {**BENCHMARKS, **WITH_A_NETWORK}
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(known))
    names = parser.parse_args().names or list(BENCHMARKS)
    if unknown := [name for name in names if name not in known]:
        parser.error(f"there is no {', '.join(unknown)}; there are {', '.join(known)}")
    print(_COLUMNS.format("what", "baseline p50/p99", "measured p50/p99", "ratio", "target", "reached", "baseline is"))
    figures = []
    for name in names:
        figure = known[name]()
        print(row(figure), flush=True)
        figures.append(figure)
    return 0 if all(figure.reached for figure in figures) else 1


def row(figure: Figure) -> str:
    line = _COLUMNS.format(
        f"{figure.what} ({figure.unit})",
        _spread(figure.baseline),
        _spread(figure.measured),
        f"{figure.ratio:.2f}",
        str(figure.target),
        "yes" if figure.reached else "NO",
        figure.baseline_is,
    )
    return line + (f"\n{'':4}{figure.note}" if figure.note else "")


def _spread(spread: Spread) -> str:
    return f"{_number(spread.p50)} / {_number(spread.p99)}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


if __name__ == "__main__":
    sys.exit(main())
