"""Transcripts that are being read: opened, scanned as far as they have grown, and remembered until they change."""

import logging
import os
import threading
import weakref
from bisect import bisect_left
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from glasshouse.claude_home.conversation.chain import Chain, chain_of
from glasshouse.claude_home.conversation.glances import Glances
from glasshouse.claude_home.conversation.large import Outline, outline
from glasshouse.claude_home.conversation.skeleton import Skeleton, identity
from glasshouse.claude_home.files import open_regular
from glasshouse.claude_home.lines import Line, plain_record, read_line

log = logging.getLogger(__name__)

# A larger piece is new memory from the system each time.
_PIECE = 128 * 1024
# Longer lines are not held whole.
_LARGE = 1024 * 1024
# What stands before the end is looked at again, to know that the file is still the one that was read.
_TAIL = 256
# Some 70 bytes each.
_MOST_KEPT = 1_500_000


@dataclass(frozen=True, slots=True)
class Record:
    """`outline` is there if long strings of it were left in the file."""

    value: dict[str, Any]
    outline: Outline | None = None


class Scan:
    """What is known of one file, up to `end`; a last line that is not whole yet stands behind it."""

    def __init__(self, device: int, inode: int, *, is_strict: bool = False) -> None:
        """`is_strict`: every line is parsed, since one was not what it looked like."""
        self.identity = (device, inode)
        self.is_strict = is_strict
        self.skeleton = Skeleton()
        self._glances = Glances()
        self.end = 0
        self.lines = 0
        self.tail = b""
        self.size = 0
        self.modified_ns = 0
        self._chains: dict[int | None, tuple[int, Chain]] = {}

    @property
    def has_unfinished_line(self) -> bool:
        return self.size > self.end

    def chain(self, agent: int | None) -> Chain:
        known = self._chains.get(agent)
        if known is None or known[0] != len(self.skeleton):
            known = self._chains[agent] = (len(self.skeleton), chain_of(self.skeleton, agent))
        return known[1]

    def goes_on_in(self, file: BinaryIO, found: os.stat_result) -> bool:
        """Whether the file is still the one that was read, grown or not."""
        if (found.st_dev, found.st_ino) != self.identity or found.st_size < self.end:
            return False
        return os.pread(file.fileno(), len(self.tail), self.end - len(self.tail)) == self.tail

    def grow(self, file: BinaryIO, found: os.stat_result) -> None:
        """Reads what was added."""
        before = self.skeleton.damaged
        descriptor = file.fileno()
        while piece := _piece(descriptor, self.end):
            stop = piece.rfind(b"\n") + 1
            if stop:
                self._take_lines(piece, stop)
            elif len(piece) >= _LARGE:
                if not self._take_large(descriptor):
                    break
            else:
                if not (rest := read_line(piece)).damaged:
                    self._take(rest, len(piece))
                break
        self.tail = os.pread(descriptor, min(_TAIL, self.end), max(0, self.end - _TAIL))
        self.size, self.modified_ns = found.st_size, found.st_mtime_ns
        if self.skeleton.damaged > before:
            log.warning(
                "a transcript has lines that cannot be read; they are passed over",
                extra={"lines": self.skeleton.damaged, "first_line": self.skeleton.first_damaged},
            )

    def _take_lines(self, text: bytes, stop: int) -> None:
        glances = None if self.is_strict or b"\0" in text else self._glances.lines(text, stop)
        if glances is None:
            place = 0
            while place < stop:
                end = text.find(b"\n", place)
                self._take_closely(text[place:end])
                place = end + 1
            return
        base, before, tie = self.end, self.lines, self.skeleton.tie
        for number, (begin, end, ties) in enumerate(glances):
            if ties is None:
                self.end, self.lines = base + begin, before + number
                self._take_closely(text[begin:end])
            elif ties:
                tie(ties, base + begin, base + end)
        self.end, self.lines = base + stop, before + len(glances)

    def _take_closely(self, line: bytes) -> None:
        if (record := plain_record(line)) is not None:
            self.skeleton.add(record, self.end, len(line))
            self.end += len(line)
        else:
            self._take(read_line(line), len(line))
        self.end += 1
        self.lines += 1

    def _take(self, line: Line, length: int) -> None:
        for record in line.records:
            self.skeleton.add(record, self.end, length)
        if line.damaged:
            self.skeleton.damage(self.lines + 1)
        self.end += length

    def _take_large(self, descriptor: int) -> bool:
        """The line that begins at the end. False: it is not whole yet, and left for later."""
        stop, is_whole = _end_of_line(descriptor, self.end)
        found = outline(lambda place, length: os.pread(descriptor, length, place), self.end, stop - self.end)
        line = Line(damaged=True) if found is None else read_line(found.line)
        if line.damaged and not is_whole:
            return False
        self._take(line, stop - self.end)
        if is_whole:
            self.end += 1
            self.lines += 1
        return True


def _piece(descriptor: int, place: int) -> bytes:
    """With a whole line in it, if that is not too long."""
    piece = os.pread(descriptor, _PIECE, place)
    return piece if len(piece) < _PIECE or b"\n" in piece else os.pread(descriptor, _LARGE, place)


def _end_of_line(descriptor: int, place: int) -> tuple[int, bool]:
    while piece := os.pread(descriptor, _PIECE, place):
        if (found := piece.find(b"\n")) >= 0:
            return place + found, True
        place += len(piece)
    return place, False


class OpenFile:
    """A transcript as it was when it was opened; whoever replaces it does not disturb its reader.

    It is closed when its last reader has let go of it: parts of it may be sent long after they were asked for.
    """

    def __init__(self, path: Path, file: BinaryIO, scan: Scan, lock: threading.Lock) -> None:
        self.path = path
        self._descriptor = os.dup(file.fileno())
        weakref.finalize(self, os.close, self._descriptor)
        self._scan = scan
        self._lock = lock
        self.skeleton = scan.skeleton
        # Something in it was not what it looked like.
        self.is_misread = False
        unfinished = scan.has_unfinished_line
        lines = scan.skeleton.damaged + unfinished
        self.damage = (lines, scan.skeleton.first_damaged or scan.lines + 1) if lines else None

    def chain(self, agent: int | None) -> Chain:
        with self._lock:
            return self._scan.chain(agent)

    def read(self, offset: int, length: int) -> bytes:
        return os.pread(self._descriptor, length, offset)

    def node_at(self, offset: int) -> int | None:
        """The last record of the line that begins there."""
        offsets = self.skeleton.offset
        node = bisect_left(offsets, offset)
        if node >= len(offsets) or offsets[node] != offset:
            return None
        while node + 1 < len(offsets) and offsets[node + 1] == offset:
            node += 1
        return node

    def record(self, node: int) -> Record:
        """Empty if the file has been cut meanwhile."""
        offset, length = self.skeleton.offset[node], self.skeleton.length[node]
        found: Outline | None = None
        if length > _LARGE:
            found = outline(self.read, offset, length)
            line = b"" if found is None else found.line
        else:
            line = self.read(offset, length)
        for value in read_line(line).records:
            if isinstance(uuid := value.get("uuid"), str) and identity(uuid) == self.skeleton.uuid[node]:
                return Record(value, found if found is not None and found.strings else None)
        self.is_misread = not self._scan.is_strict
        return Record({})


class Scans:
    """The files that were read last; as many as their skeletons may be held."""

    def __init__(self) -> None:
        self._scans: OrderedDict[Path, Scan] = OrderedDict()
        self._locks: dict[Path, threading.Lock] = {}
        self._lock = threading.Lock()

    def open(self, path: Path) -> OpenFile | None:
        """Blocking: reads what is not known yet. None: there is no such file."""
        file = open_regular(path, follow=False)
        if file is None:
            return None
        with self._lock:
            lock = self._locks.setdefault(path, threading.Lock())
        with file, lock:
            found = os.fstat(file.fileno())
            with self._lock:
                scan = self._scans.get(path)
            if scan is None or not scan.goes_on_in(file, found):
                scan = Scan(found.st_dev, found.st_ino)
            if (scan.size, scan.modified_ns) != (found.st_size, found.st_mtime_ns):
                scan.grow(file, found)
            self._keep(path, scan)
            return OpenFile(path, file, scan, lock)

    def distrust(self, path: Path) -> None:
        """From now on every line of it is parsed."""
        with self._lock:
            if (scan := self._scans.get(path)) is not None:
                self._scans[path] = Scan(*scan.identity, is_strict=True)

    def _keep(self, path: Path, scan: Scan) -> None:
        with self._lock:
            self._scans[path] = scan
            self._scans.move_to_end(path)
            held = sum(len(one.skeleton) for one in self._scans.values())
            while held > _MOST_KEPT and len(self._scans) > 1:
                _, forgotten = self._scans.popitem(last=False)
                held -= len(forgotten.skeleton)
