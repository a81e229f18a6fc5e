"""A transcript's lines as JSON objects: every intact record is found, whatever stands before or beside it.

A process that died while it wrote leaves a stub, and the next one writes on behind it; a file system that lost power
leaves NUL bytes. Lone surrogates, NaN and long integers are refused by orjson, and are no damage.
"""

import json
from dataclasses import dataclass
from typing import Any

import orjson

from glasshouse.core.plain_json import cleaned

_BOM = b"\xef\xbb\xbf"
_BLANK = b" \t\r\n\0"
# Beyond these digits an integer may not fit into 64 bits, which is all that JSON's readers share.
_SAFE_DIGITS = 18
# A stub ends where a record begins: every record of Claude Code is an object that begins with a name.
_BEGINNING = '{"'
# So many beginnings are tried in a damaged line; each costs a look at the rest of it.
_MOST_BEGINNINGS = 256


@dataclass(frozen=True, slots=True)
class Line:
    """What one line holds. `damaged`: something in it is no record."""

    records: tuple[dict[str, Any], ...] = ()
    damaged: bool = False


def read_line(line: bytes) -> Line:
    """A blank line is no damage; JSON that is no object is."""
    record = plain_record(line)
    return _read_odd(line) if record is None else Line((record,))


def plain_record(line: bytes) -> dict[str, Any] | None:
    """What nearly every line is: one record and nothing odd. None: look closer, with `read_line`."""
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None


def record_in(line: bytes) -> dict[str, Any]:
    """The last record of the line; empty if it has none."""
    found = read_line(line).records
    return found[-1] if found else {}


def _read_odd(line: bytes) -> Line:
    text = line.removeprefix(_BOM).strip(_BLANK).decode(errors="replace")
    if not text:
        return Line(damaged=b"\0" in line)
    records: list[dict[str, Any]] = []
    damaged = False
    place = 0
    for _ in range(_MOST_BEGINNINGS):
        value, end = _decoded(text, place)
        if isinstance(value, dict):
            records.append(cleaned(value))
            place = end
            while place < len(text) and text[place] in " \t\r\0":
                place += 1
        else:
            damaged = True
            place = text.find(_BEGINNING, place + 1)
        if not 0 <= place < len(text):
            return Line(tuple(records), damaged)
    return Line(tuple(records), True)


def _decoded(text: str, place: int) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(text, place)
    except (ValueError, RecursionError):
        return None, place


def _integer(digits: str) -> int | str:
    # Python itself refuses integers of some thousand digits; as text none of them is lost.
    return int(digits) if len(digits) <= _SAFE_DIGITS else digits


_DECODER = json.JSONDecoder(parse_int=_integer)
