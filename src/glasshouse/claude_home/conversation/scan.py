"""Transcripts that are being read: opened, scanned as far as they have grown, and remembered until they change."""

import io
import logging
import os
import re
import threading
import weakref
from bisect import bisect_left
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from glasshouse.claude_home.conversation.chain import Chain, chain_of
from glasshouse.claude_home.conversation.large import Outline, outline
from glasshouse.claude_home.conversation.skeleton import Skeleton
from glasshouse.claude_home.files import open_regular
from glasshouse.claude_home.lines import Line, plain_record, read_line

log = logging.getLogger(__name__)

_PIECE = 1024 * 1024
_BUFFER = 64 * 1024
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

    def __init__(self, device: int, inode: int) -> None:
        self.identity = (device, inode)
        self.skeleton = Skeleton()
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
        reader = io.BufferedReader(io.FileIO(descriptor, closefd=False), _BUFFER)
        reader.seek(self.end)
        while line := reader.readline(_LARGE):
            if line.endswith(b"\n"):
                self._take_whole(line)
            elif len(line) == _LARGE:
                if not self._take_large(descriptor):
                    break
                reader.seek(self.end)
            elif not (rest := read_line(line)).damaged:
                self._take(rest, len(line))
        self.tail = os.pread(descriptor, min(_TAIL, self.end), max(0, self.end - _TAIL))
        self.size, self.modified_ns = found.st_size, found.st_mtime_ns
        if self.skeleton.damaged > before:
            log.warning(
                "a transcript has lines that cannot be read; they are passed over",
                extra={"lines": self.skeleton.damaged, "first_line": self.skeleton.first_damaged},
            )

    def _take_whole(self, line: bytes) -> None:
        length = len(line) - 1
        if _stands_beside(line):
            self.end += length
        elif (record := _mere_link(line) or plain_record(line)) is not None:
            self.skeleton.add(record, self.end, length)
            self.end += length
        else:
            self._take(read_line(line), length)
        self._next_line()

    def _take(self, line: Line, length: int) -> None:
        for record in line.records:
            self.skeleton.add(record, self.end, length)
        if line.damaged:
            self.skeleton.damage(self.lines + 1)
        self.end += length

    def _next_line(self) -> None:
        self.end += 1
        self.lines += 1

    def _take_large(self, descriptor: int) -> bool:
        """The line that begins at the end. False: it is not whole yet, and left for later."""
        stop, is_whole = _end_of_line(descriptor, self.end)
        found = outline(lambda place, length: os.pread(descriptor, length, place), self.end, stop - self.end)
        line = Line(damaged=True) if found is None else read_line(found.line)
        if line.damaged and not is_whole:
            return False
        self._take(line, stop - self.end)
        if is_whole:
            self._next_line()
        return True


def _stands_beside(line: bytes) -> bool:
    """Surely no link of the chain, and whole as far as one sees: half of a transcript is not worth parsing."""
    return line.startswith(b'{"type":"') and line.endswith(b"}\n") and b'"uuid"' not in line and b"\0" not in line


# What Claude Code notes for itself, its instructions for one: large, and a link without words.
_ATTACHMENT = re.compile(
    rb'\{"parentUuid":(?:null|"([\w-]+)"),"isSidechain":(false|true),(?:"agentId":"([\w-]+)",)?'
    rb'"attachment":\{"type":"(?!queued_command)\w+"'
)
_UUID = re.compile(rb'"type":"attachment","uuid":"([\w-]+)"')


def _mere_link(line: bytes) -> dict[str, Any] | None:
    """What hangs the line into the chain, read without the rest of it; None where that is not certain."""
    head = _ATTACHMENT.match(line)
    if head is None or not line.endswith(b"}\n") or b"\0" in line or line.count(b'"uuid":"') != 1:
        return None
    found = _UUID.search(line, max(head.end(), line.rfind(b'"type":"attachment"')))
    if found is None:
        return None
    parent, aside, agent = head.groups()
    return {
        "type": "attachment",
        "uuid": found[1].decode(),
        "parentUuid": None if parent is None else parent.decode(),
        "isSidechain": aside == b"true",
        "agentId": None if agent is None else agent.decode(),
    }


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

    def __init__(self, file: BinaryIO, scan: Scan, lock: threading.Lock) -> None:
        self._descriptor = os.dup(file.fileno())
        weakref.finalize(self, os.close, self._descriptor)
        self._scan = scan
        self._lock = lock
        self.skeleton = scan.skeleton
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
            if hash(value.get("uuid")) == self.skeleton.uuid[node]:
                return Record(value, found if found is not None and found.strings else None)
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
            return OpenFile(file, scan, lock)

    def _keep(self, path: Path, scan: Scan) -> None:
        with self._lock:
            self._scans[path] = scan
            self._scans.move_to_end(path)
            held = sum(len(one.skeleton) for one in self._scans.values())
            while held > _MOST_KEPT and len(self._scans) > 1:
                _, forgotten = self._scans.popitem(last=False)
                held -= len(forgotten.skeleton)
