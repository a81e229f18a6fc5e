"""The lines of a file, read a block at a time: however large the file or a line is, little of it is held."""

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

BLOCK = 256 * 1024
# Longer ones are passed over but for their beginning, which says what they are.
LINE_LIMIT = 16 * 1024 * 1024
CUT_AT = 64 * 1024


class CutLine(bytes):
    """The beginning of a line that was too long to be held."""


class Span(NamedTuple):
    """Whole lines as they stand in a text, from `start` to before the end of the last."""

    text: bytes
    start: int
    stop: int


class LineReader:
    """Reads on from `offset`, which stays behind the last line that has ended; `rest` is what follows it."""

    def __init__(self, file: BinaryIO, offset: int = 0) -> None:
        self._file = file
        self.offset = offset
        self.rest = b""

    def batches(self) -> Iterator[list[bytes]]:
        """Lines that have ended, without their ends."""
        for text, start, stop in self.spans():
            yield [text] if isinstance(text, CutLine) else text[start:stop].split(b"\n")

    def spans(self) -> Iterator[Span]:
        """The same, where they stand in what was read."""
        self._file.seek(self.offset)
        held = _Held()
        while block := self._file.read(BLOCK):
            first, last = block.find(b"\n"), block.rfind(b"\n")
            held.add(block if first < 0 else block[:first])
            if first < 0:
                continue
            self.offset += held.size + 1 + last - first
            line = held.line()
            yield Span(line, 0, len(line))
            if last > first:
                yield Span(block, first + 1, last)
            held = _Held()
            held.add(block[last + 1 :])
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
