"""Where Claude Code noted last that a conversation stands: a resume goes on from there, or from what hangs below it.

It notes it when it ends. So where one was killed that had gone on from an earlier point, the next would go on with what
was dropped there, and cannot be led to what was said after it.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from glasshouse.claude_home.lines import lines_of, record_in

Parts = Sequence[tuple[int, int]]

_NOTED = b'"last-prompt"'


def out_of_reach(transcript: Path, dropped: Parts) -> Parts:
    """The parts that were dropped, oldest first, and all behind the last if no resume leads there. Blocking."""
    if not dropped:
        return ()
    left_behind: set[str] = set()
    noted = ""
    for place, line in lines_of(transcript):
        if _NOTED in line and (record := record_in(line)).get("type") == "last-prompt":
            noted = str(record.get("leafUuid"))
        elif dropped[-1][0] <= place < dropped[-1][1]:
            left_behind.add(str(record_in(line).get("uuid")))
    return [*dropped, (dropped[-1][1], sys.maxsize)] if noted in left_behind else dropped
