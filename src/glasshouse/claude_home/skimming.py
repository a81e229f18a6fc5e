"""A digest from a glance at each line: the same but for the texts, and for damage inside of lines that begin and end
as they always do.

A transcript is hundreds of thousands of lines, and all of the time goes into what is done for each: they are looked at
where they stand in what was read, and what only the newest of its kind tells is put aside.
"""

import re
from collections.abc import Iterable

from glasshouse.claude_home.blocks import CutLine, Span
from glasshouse.claude_home.digest import PATH_OF, Digest
from glasshouse.claude_home.glance import (
    BEGINNING,
    CALL,
    COST,
    FAILED,
    NAMED_AT,
    NOTHING_TRACKED,
    RESULT,
    SNAPSHOT,
    TELLING,
)
from glasshouse.claude_home.lines import plain_record, read_line

_EDITING = frozenset(name.encode() for name in PATH_OF)
_MOST_TOOLS = 1_000
_BRACE = ord("}")


def skim(digest: Digest, spans: Iterable[Span]) -> None:
    one = _Skim(digest)
    for span in spans:
        if isinstance(span.text, CutLine):
            one.read(span.text)
        else:
            one.span(*span)
    one.catch_up()


class _Skim:
    def __init__(self, digest: Digest) -> None:
        self._digest = digest
        # Those that were told of already, and edit nothing.
        self._tools: set[bytes] = set()
        # What stands latest is last.
        self._newest: dict[str, bytes] = {}

    def span(self, text: bytes, place: int, stop: int) -> None:
        digest, editing = self._digest, self._digest.editing
        glance, find = BEGINNING.match, text.find
        said: tuple[int, int] | None = None
        result: tuple[int, int] | None = None
        messages = 0
        while place < stop:
            begin, end = place, find(b"\n", place, stop)
            if end < 0:
                end = stop
            place = end + 1
            found = glance(text, begin, end) if digest.began and text[end - 1] == _BRACE else None
            kind = None if found is None else found.lastgroup
            if found is None:
                is_message = self.read(text[begin:end])
                said, result = (None, None) if is_message else (said, result)
            elif (kind == "result" and (not editing or self._answered(found, text, end))) or (
                kind == "typed" and digest.title
            ):
                messages += 1
                result = begin, end
            elif (kind == "said" and find(CALL, found.end(), end) < 0) or (
                kind == "tool" and self._called(found, text, end)
            ):
                messages += 1
                said = begin, end
            elif kind in ("side", "attached") or (kind == "plain" and self._noted(text, begin, end)):
                continue
            elif self.read(text[begin:end]):
                said = result = None
        digest.messages += messages
        for begin, end in sorted(each for each in (said, result) if each is not None):
            self._put_aside("said" if (begin, end) == said else "result", text[begin:end])

    def read(self, line: bytes) -> bool:
        """Whole; whether it was a message."""
        before = self._digest.messages
        for _ in self._digest.read((line,)):
            pass
        if self._digest.messages == before:
            return False
        self._newest = {kind: one for kind, one in self._newest.items() if kind == "cost"}
        return True

    def catch_up(self) -> None:
        for line in self._newest.values():
            for record in read_line(line).records:
                self._digest.stands_last(record)

    def _put_aside(self, kind: str, line: bytes) -> None:
        self._newest.pop(kind, None)
        self._newest[kind] = line

    def _called(self, found: re.Match[bytes], text: bytes, end: int) -> bool:
        if text.find(CALL, found.end(), end) >= 0:
            return False
        tool = found["called"]
        if tool in self._tools:
            return True
        path = found["path"]
        if tool in _EDITING:
            if path is None:
                return False
            self._digest.edits(_name(found["id"]), _name(path))
        elif len(self._tools) < _MOST_TOOLS:
            self._tools.add(tool)
        self._digest.used(_name(tool))
        return True

    def _answered(self, found: re.Match[bytes], text: bytes, end: int) -> bool:
        """While the results of edits are awaited."""
        if text.find(RESULT, found.end(), end) >= 0:
            return False
        call = _name(found["result"])
        if call in self._digest.editing:
            if text.find(FAILED, found.end(), end) >= 0:
                return False
            self._digest.changed([self._digest.editing.pop(call)])
        return True

    def _noted(self, text: bytes, begin: int, end: int) -> bool:
        if text[begin + NAMED_AT : begin + NAMED_AT + 4] not in TELLING:
            return True
        if text.startswith(COST, begin):
            self._put_aside("cost", text[begin:end])
            return True
        if not text.startswith(SNAPSHOT, begin):
            return False
        record = None if text.find(NOTHING_TRACKED, begin, end) >= 0 else plain_record(text[begin:end])
        if record is not None:
            self._digest.backed_up(record)
            return True
        return text.find(NOTHING_TRACKED, begin, end) >= 0


def _name(found: bytes) -> str:
    return found.decode("utf-8", "replace")
