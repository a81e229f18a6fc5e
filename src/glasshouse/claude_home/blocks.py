"""The lines of a transcript, read a block at a time: however large the file or a line is, little of it is held."""

import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

import orjson

BLOCK = 256 * 1024
# Longer ones are passed over but for their beginning, which says what they are.
LINE_LIMIT = 16 * 1024 * 1024
CUT_AT = 64 * 1024
# Beyond it Python refuses to read a number's digits.
_DIGITS = 4_000
# Where a record may begin behind what a crash left of another one.
_BEGINNINGS = (b'{"parentUuid"', b'{"type"')
_RESCUES = 16
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class CutLine(bytes):
    """The beginning of a line that was too long to be held."""


class LineReader:
    """Reads on from `offset`, which stays behind the last line that has ended; `rest` is what follows it."""

    def __init__(self, file: BinaryIO, offset: int = 0) -> None:
        self._file = file
        self.offset = offset
        self.rest = b""

    def batches(self) -> Iterator[list[bytes]]:
        """Lines that have ended, without their ends."""
        self._file.seek(self.offset)
        held = _Held()
        while block := self._file.read(BLOCK):
            first, *others = block.split(b"\n")
            held.add(first)
            if not others:
                continue
            last = others.pop()
            self.offset += held.size + 1 + sum(map(len, others)) + len(others)
            others.insert(0, held.line())
            held = _Held()
            held.add(last)
            yield others
        self.rest = held.line()


class _Held:
    """A line whose end has not been read yet."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self.size = 0

    def add(self, part: bytes) -> None:
        self._parts.append(part)
        self.size += len(part)
        if self.size > LINE_LIMIT:
            self._parts = [b"".join(self._parts)[:CUT_AT]]

    def line(self) -> bytes:
        whole = self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)
        return whole if self.size <= LINE_LIMIT else CutLine(whole)


def record_of(line: bytes) -> dict[str, Any] | None:
    """The object that a line is; None for everything else."""
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        value = _patiently(line)
    return value if isinstance(value, dict) else None


def rescued(line: bytes) -> dict[str, Any] | None:
    """The whole record at the end of a damaged line: behind NULs, or behind the stub of one that was cut."""
    end = len(line)
    for _ in range(_RESCUES):
        end = max(line.rfind(beginning, 0, end) for beginning in _BEGINNINGS)
        if end <= 0:
            break
        if (record := record_of(line[end:].rstrip(b"\0"))) is not None:
            return record
    return None


def _patiently(line: bytes) -> Any:
    """Lone surrogates, long integers and bytes that are no UTF-8 are refused by orjson, and are no damage."""
    try:
        return json.loads(line.decode("utf-8-sig", "replace"), parse_int=_integer)
    except (ValueError, RecursionError):
        return None


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _DIGITS else float(digits)


def clean(text: str) -> str:
    """As it can be said in UTF-8."""
    return text if text.isascii() else _LONE_SURROGATE.sub("\ufffd", text)
