"""Digests of transcripts: what is asked for, what is found, and the process that finds it for many files.

The process reads jobs from its standard input, some of them a line, and writes what it finds to its standard output,
each with its length before it; it ends with its input. It imports nothing that is slow to import.
"""

import gc
import hashlib
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import orjson

from glasshouse.claude_home.blocks import LineReader
from glasshouse.claude_home.digest import Digest
from glasshouse.claude_home.files import open_regular
from glasshouse.claude_home.skimming import skim
from glasshouse.claude_home.words import short_words

_PROVED_BYTES = 1024
# Texts go to the index in pieces of about so many characters.
_PIECE = 32 * 1024
# A file that is no larger comes in one part.
AT_ONCE = 1024 * 1024
LENGTH_BYTES = 4


@dataclass(frozen=True, slots=True)
class Job:
    """A file, and how far it was read: its beginning and what precedes `offset` are as they were if `proof` holds."""

    path: str
    texts: bool
    offset: int = 0
    proof: str = ""
    digest: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Found:
    """A part of what there is; the last has the file's state. `anew`, of the first: nothing that was known holds."""

    path: str
    anew: bool
    # Pieces of what was said, and the short words in each.
    texts: Sequence[tuple[str, str]] = ()
    searched: bool = False
    is_last: bool = False
    # Empty where the file is gone, or none that may be read.
    offset: int = 0
    proof: str = ""
    digest: dict[str, Any] | None = None
    # With the line that has not ended yet, where there is one.
    shown: dict[str, Any] | None = None
    mark: Sequence[int] = ()
    # What our own reading could not cope with.
    fault: str | None = None


def mark_of(stat: os.stat_result) -> tuple[int, int, int, int]:
    """Equal for a file that nobody has touched."""
    return stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns


def digested(job: Job) -> Iterator[Found]:
    mark: Sequence[int] = ()
    try:
        mark = mark_of(os.lstat(job.path))
        yield from _digested(job)
    except FileNotFoundError:
        yield Found(job.path, anew=True, is_last=True)
    except Exception as fault:  # whatever is in one transcript, it must not cost the others
        yield Found(job.path, anew=True, is_last=True, mark=mark, fault=repr(fault)[:500])


def _digested(job: Job) -> Iterator[Found]:
    file = open_regular(job.path, follow=False)
    if file is None:
        yield Found(job.path, anew=True, is_last=True)
        return
    with file:
        # Before anything is read: what is written meanwhile is then a change of the file.
        mark = mark_of(os.fstat(file.fileno()))
        goes_on = 0 < job.offset <= mark[2] and _proof(file, job.offset) == job.proof
        digest = Digest.of(job.digest) if goes_on else Digest()
        reader = LineReader(file, job.offset if goes_on else 0)
        pieces = _Pieces()
        anew = not goes_on
        if not job.texts:
            skim(digest, reader.spans())
        for lines in reader.batches() if job.texts else ():
            for text in digest.read(lines):
                pieces.add(text)
            if pieces.size >= AT_ONCE:
                yield Found(job.path, anew, pieces.taken(), searched=True)
                anew = False
        yield Found(
            path=job.path,
            anew=anew,
            texts=pieces.rest(),
            searched=job.texts,
            is_last=True,
            offset=reader.offset,
            proof=_proof(file, reader.offset),
            digest=digest.saved(),
            shown=_with_rest(digest, reader.rest) if reader.rest else None,
            mark=mark,
        )


class _Pieces:
    def __init__(self) -> None:
        self.size = 0
        self._full: list[tuple[str, str]] = []
        self._open: list[str] = []
        self._open_size = 0

    def add(self, text: str) -> None:
        self._open.append(text)
        self._open_size += len(text)
        if self._open_size >= _PIECE:
            self._close()

    def taken(self) -> list[tuple[str, str]]:
        full, self._full, self.size = self._full, [], 0
        return full

    def rest(self) -> list[tuple[str, str]]:
        if self._open:
            self._close()
        return self.taken()

    def _close(self) -> None:
        text = "\n".join(self._open)
        self._full.append((text, short_words(text)))
        self.size += self._open_size
        self._open, self._open_size = [], 0


def _with_rest(digest: Digest, rest: bytes) -> dict[str, Any]:
    """A last line without an end may be whole all the same, or be whole in a moment."""
    shown = Digest.of(digest.saved())
    for _ in shown.read((rest,)):
        pass
    return shown.saved()


def _proof(file: BinaryIO, offset: int) -> str:
    """Of the beginning, and of what precedes the offset: a file that was replaced or rewritten has others."""
    if offset == 0:
        return ""
    file.seek(0)
    beginning = file.read(min(offset, _PROVED_BYTES))
    file.seek(max(0, offset - _PROVED_BYTES))
    return hashlib.blake2b(beginning + file.read(min(offset, _PROVED_BYTES)), digest_size=16).hexdigest()


def main() -> None:
    # What is parsed has no cycles, and a collector that looks for them takes a tenth of the time.
    gc.disable()
    for line in sys.stdin.buffer:
        for job in orjson.loads(line):
            for found in digested(Job(**job)):
                said = orjson.dumps(found)
                sys.stdout.buffer.write(len(said).to_bytes(LENGTH_BYTES, "big") + said)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
