"""One line from a person: words, or numbers of a list that are typed, or gone to with the arrows."""

import codecs
import os
import select
import shutil
import sys
from collections.abc import Callable, Sequence

from glasshouse.entrypoints.cli.answer.plain import fitted, plain

PROMPT = "> "
_LOOKS_EVERY_S = 1.0
# The bytes of one key come together, or nearly so.
_REST_WITHIN_S = 0.05
_UP, _DOWN = ("\x1b[A", "\x1bOA"), ("\x1b[B", "\x1bOB")
_ERASE = ("\x7f", "\b")


class Over(Exception):
    """What was asked is settled, through another door."""


def forget_typed() -> None:
    """What was typed before a question was there to be read is no answer to it."""
    if sys.stdin.isatty():
        import termios  # noqa: PLC0415 - not on every system, and where it is not, nothing is a terminal to us

        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


def ask_line(prompt: str = PROMPT) -> str:
    """Raises EOFError."""
    return input(prompt)


def ask_choice(labels: Sequence[str], *, several: bool, pointed: int | None, is_over: Callable[[], bool]) -> str:
    """What was typed, or the numbers of what was gone to. Raises EOFError, Over."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return ask_line()
    import termios  # noqa: PLC0415
    import tty  # noqa: PLC0415

    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    # What was typed since the last try is kept.
    tty.setcbreak(descriptor, termios.TCSADRAIN)
    try:
        return _Line(labels, several=several, pointed=pointed).read(descriptor, is_over)
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
        print(flush=True)


class _Line:
    """What is typed; while nothing is, what the arrows point at."""

    def __init__(self, labels: Sequence[str], *, several: bool, pointed: int | None) -> None:
        self._labels = labels
        self._several = several
        self._pointed = pointed
        self._chosen: set[int] = set()
        self._typed = ""

    def read(self, descriptor: int, is_over: Callable[[], bool]) -> str:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._draw()
        while True:
            if not select.select([descriptor], [], [], _LOOKS_EVERY_S)[0]:
                if is_over():
                    raise Over
                continue
            data = os.read(descriptor, 4096)
            while data[-1:] == b"\x1b" and select.select([descriptor], [], [], _REST_WITHIN_S)[0]:
                data += os.read(descriptor, 4096)
            if not data:
                raise EOFError
            for key in _keys_in(decoder.decode(data)):
                if key in ("\r", "\n"):
                    return self._said()
                self._take(key)
            self._draw()

    def _take(self, key: str) -> None:
        if key in _UP or key in _DOWN:
            step = 1 if key in _DOWN else -1
            first = 0 if step == 1 else len(self._labels) - 1
            self._pointed = first if self._pointed is None else (self._pointed + step) % len(self._labels)
            self._typed = ""
        elif key in _ERASE:
            self._typed = self._typed[:-1]
        elif key == "\x04" and not self._typed:
            raise EOFError
        elif key == " " and self._several and self._pointed is not None and not self._typed:
            self._chosen ^= {self._pointed}
        elif key.isprintable():
            self._typed += key

    def _said(self) -> str:
        if self._typed or self._pointed is None:
            return self._typed
        return ",".join(str(place + 1) for place in sorted(self._chosen or {self._pointed}))

    def _draw(self) -> None:
        marks = f"[{','.join(str(place + 1) for place in sorted(self._chosen))}] " if self._chosen else ""
        pointed = "" if self._pointed is None else f"{self._pointed + 1}) {self._labels[self._pointed]}"
        columns = shutil.get_terminal_size().columns
        sys.stdout.write("\r\x1b[K" + fitted(PROMPT + marks + (plain(self._typed) or pointed), columns - 1))
        sys.stdout.flush()


def _keys_in(text: str) -> list[str]:
    """An arrow is one key, however many bytes; of any other sequence nothing is left."""
    keys = []
    while text:
        length = 1
        if text[0] == "\x1b" and text[1:2] in ("[", "O"):
            length = 2 + next((place for place, sign in enumerate(text[2:], 1) if sign.isalpha() or sign == "~"), 0)
        keys.append(text[:length])
        text = text[length:]
    return keys
