"""A transcript's lines as JSON objects: every intact record is found, whatever stands before or beside it.

A process that died while it wrote leaves a stub, and the next one writes on behind it; a file system that lost power
leaves NUL bytes. Lone surrogates, NaN and long integers are refused by orjson, and are no damage.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from glasshouse.claude_home.files import objects_in, open_regular
from glasshouse.core.plain_json import cleaned

# What is longer than this is read in parts, of which none is a record.
_LONGEST = 64 * 1024 * 1024
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


def lines_of(transcript: Path) -> Iterator[tuple[int, bytes]]:
    """As they stand there, each with where it begins. Blocking."""
    file = open_regular(transcript, follow=False)
    if file is None:
        return
    place = 0
    with file:
        while line := file.readline(_LONGEST):
            yield place, line
            place += len(line)


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


def blocks_in(record: dict[str, Any]) -> list[dict[str, Any]]:
    """Of a message that is more than a plain text."""
    content = objects_in(record).get("message", {}).get("content")
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def words_in(record: dict[str, Any]) -> str:
    """The text of a message."""
    content = objects_in(record).get("message", {}).get("content")
    if isinstance(content, str):
        return content
    return "\n".join(str(block.get("text")) for block in blocks_in(record) if block.get("type") == "text")


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
