"""What a conversation has cost by Claude Code's own account: the last `cost-state` line of its transcript."""

import math
import os
from typing import BinaryIO

from glasshouse.claude_home.files import open_regular
from glasshouse.claude_home.home import ClaudeHome
from glasshouse.claude_home.lines import record_in
from glasshouse.claude_home.transcripts import find_transcript

_MARK = b'"cost-state"'
_BLOCK = 256 * 1024
# A line of this kind is short; what is longer is none.
_LINE_LIMIT = 1024 * 1024


def total_cost(home: ClaudeHome, session_id: str) -> float | None:
    """In US dollars, from which a resumed Claude Code counts on. None: there is no such line. Blocking."""
    found = find_transcript(home, session_id)
    file = None if found is None else open_regular(found.path, follow=False)
    if file is None:
        return None
    with file:
        return _last_in(file, session_id)


def _last_in(file: BinaryIO, session_id: str) -> float | None:
    """Read from the end: it stands there, and the file may be long."""
    end = file.seek(0, os.SEEK_END)
    behind = b""
    while end > 0:
        begin = max(0, end - _BLOCK)
        file.seek(begin)
        lines = (file.read(end - begin) + behind).split(b"\n")
        # The first of them may begin further ahead.
        behind = lines.pop(0) if begin else b""
        for line in reversed(lines):
            if _MARK in line and (cost := _cost_in(line, session_id)) is not None:
                return cost
        if len(behind) > _LINE_LIMIT:
            behind = b""
        end = begin
    return None


def _cost_in(line: bytes, session_id: str) -> float | None:
    state = record_in(line)
    cost = state.get("totalCostUSD")
    # In a fork the lines of the session that it came from stand before its own.
    if state.get("type") != "cost-state" or state.get("sessionId") != session_id or isinstance(cost, bool):
        return None
    return float(cost) if isinstance(cost, int | float) and math.isfinite(cost) and cost >= 0 else None
