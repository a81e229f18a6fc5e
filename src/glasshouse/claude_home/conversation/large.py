"""A line too long to be parsed: its long strings are left in the file, so that what remains is small."""

import re
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

# Reads so many bytes at such a place of the file.
Read = Callable[[int, int], bytes]

_PIECE = 1024 * 1024
_KEPT_OF_A_STRING = 4 * 1024
_MOST_KEPT = 8 * 1024 * 1024
_LONGEST_LINE = 2**32 - 1
# An escape must not be cut in its middle; the longest is a pair of surrogates.
_HALF_AN_ESCAPE = re.compile(rb"\\(?:u[0-9a-fA-F]{0,3})?$|\\u[dD][89abAB][0-9a-fA-F]{2}(?:\\(?:u[0-9a-fA-F]{0,3})?)?$")


@dataclass(frozen=True, slots=True)
class LongString:
    """Where the inside of a string stands in the file, as JSON has it."""

    offset: int
    length: int


@dataclass(slots=True)
class Outline:
    """The line with the beginning of each long string, and a mark at its end that leads to the whole."""

    line: bytes
    mark: str
    strings: list[LongString] = field(default_factory=list)

    def string_at(self, text: str) -> tuple[str, LongString] | None:
        """The beginning that was kept and the whole's place, if the text is of such a string."""
        kept, mark, number = text.rpartition(self.mark)
        return (kept, self.strings[int(number)]) if mark and number.isdecimal() else None

    def whole(self, encoded: bytes, read: Read) -> Iterator[bytes]:
        """Encoded JSON that holds strings of the outline, with their wholes in their places."""
        ends_of_beginnings = re.compile(rb'"(?:[^"\\]|\\.)*?' + self.mark.encode() + rb'(\d+)"')
        place = 0
        for found in ends_of_beginnings.finditer(encoded):
            yield encoded[place : found.start() + 1]
            string = self.strings[int(found[1])]
            yield from _pieces(read, string)
            yield b'"'
            place = found.end()
        yield encoded[place:]


def _pieces(read: Read, string: LongString) -> Iterator[bytes]:
    """Valid UTF-8 whatever stands in the file; what is cut between two pieces is not harmed."""
    place, end = string.offset, string.offset + string.length
    carried = b""
    while place < end and (piece := read(place, min(_PIECE, end - place))):
        place += len(piece)
        piece = carried + piece
        # The last character may go on in the next piece.
        whole = len(piece) if place >= end else _last_boundary(piece)
        carried = piece[whole:]
        yield piece[:whole].decode(errors="replace").encode()


def _last_boundary(piece: bytes) -> int:
    for back in range(1, min(4, len(piece)) + 1):
        if piece[-back] & 0xC0 != 0x80:
            return len(piece) - back
    return len(piece)


def outline(read: Read, offset: int, length: int) -> Outline | None:
    """None: even without its long strings the line is too large."""
    if length > _LONGEST_LINE:
        return None
    found = Outline(b"", f"⁂{secrets.token_hex(8)}⁂")
    kept = bytearray()
    for text, string in _tokens(read, offset, length):
        kept += text
        if string is not None:
            kept += f"{found.mark}{len(found.strings)}".encode()
            found.strings.append(string)
        if len(kept) > _MOST_KEPT:
            return None
    found.line = bytes(kept)
    return found


def _tokens(read: Read, offset: int, length: int) -> Iterator[tuple[bytes, LongString | None]]:
    """The text in its order; a long string as its beginning and its place."""
    place, end = offset, offset + length
    inside = False
    begins = 0
    beginning = bytearray()
    escaped = False
    while place < end and (piece := read(place, min(_PIECE, end - place))):
        at = 0
        while at < len(piece):
            if not inside:
                quote = piece.find(b'"', at)
                stop = len(piece) if quote < 0 else quote + 1
                yield piece[at:stop], None
                at = stop
                inside, begins, escaped = quote >= 0, place + stop, False
                beginning.clear()
                continue
            quote, escaped = _end_of_string(piece, at, escaped)
            stop = len(piece) if quote < 0 else quote
            room = _KEPT_OF_A_STRING - len(beginning)
            beginning += piece[at : min(stop, at + room)] if room > 0 else b""
            at = stop
            if quote >= 0:
                inside = False
                at = quote + 1
                size = place + quote - begins
                if size <= _KEPT_OF_A_STRING:
                    yield bytes(beginning), None
                else:
                    yield _cut(bytes(beginning)), LongString(begins, size)
                yield b'"', None
        place += len(piece)


def _end_of_string(piece: bytes, at: int, escaped: bool) -> tuple[int, bool]:
    """Where the string ends in the piece, -1 if it goes on; and whether the piece ends with an open escape."""
    at += escaped
    while True:
        quote = piece.find(b'"', at)
        text = piece[at : len(piece) if quote < 0 else quote]
        is_escaped = (len(text) - len(text.rstrip(b"\\"))) % 2 == 1
        if quote < 0 or not is_escaped:
            return quote, is_escaped
        at = quote + 1


def _cut(beginning: bytes) -> bytes:
    half = _HALF_AN_ESCAPE.search(beginning)
    kept = beginning[: half.start()] if half else beginning
    return kept[: _last_boundary(kept)] if kept and kept[-1] >= 0x80 else kept


def shortened(value: Any, found: Outline, notes: dict[str, int], pointer: str = "") -> Any:
    """The value with the beginnings of its long strings; `notes` says where they are and how long the wholes."""
    if isinstance(value, str):
        if (string := found.string_at(value)) is None:
            return value
        notes[pointer] = string[1].length
        return string[0]
    if isinstance(value, dict):
        return {name: shortened(part, found, notes, f"{pointer}/{_escaped(name)}") for name, part in value.items()}
    if isinstance(value, list):
        return [shortened(part, found, notes, f"{pointer}/{index}") for index, part in enumerate(value)]
    return value


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
