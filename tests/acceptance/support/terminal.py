"""`glasshouse answer` as a person meets it: in a terminal of its own, read and typed into."""

import os
import pty
import select
import signal
import subprocess
import time
from types import TracebackType

from glasshouse.testing.server_process import ServerProcess

WITHIN_S = 30.0
UP, DOWN, ENTER = "\x1b[A", "\x1b[B", "\r"


def answering(server: ServerProcess, *arguments: str) -> list[str]:
    return [*server.command[:3], "answer", *arguments]


class Terminal:
    def __init__(self, server: ServerProcess, *arguments: str) -> None:
        self._descriptor, inner = pty.openpty()
        self.shown = ""
        self._process = subprocess.Popen(
            answering(server, *arguments),
            stdin=inner,
            stdout=inner,
            stderr=inner,
            env={**server.environment, "TERM": "xterm"},
            cwd=server.workspace,
            start_new_session=True,
        )
        os.close(inner)

    def until(self, words: str) -> str:
        """What has been shown up to these words, since the last time."""
        deadline = time.monotonic() + WITHIN_S
        while words not in self.shown:
            if not self._more(deadline):
                raise AssertionError(f"{words!r} was not shown, but {self.shown!r}")
        before, _, self.shown = self.shown.partition(words)
        return before + words

    def press(self, keys: str) -> None:
        os.write(self._descriptor, keys.encode())

    def interrupt(self) -> None:
        self._process.send_signal(signal.SIGINT)

    def end(self) -> int:
        """Its exit code."""
        deadline = time.monotonic() + WITHIN_S
        while self._more(deadline):
            pass
        return self._process.wait(WITHIN_S)

    def _more(self, deadline: float) -> bool:
        if not select.select([self._descriptor], [], [], max(0.0, deadline - time.monotonic()))[0]:
            return False
        try:
            data = os.read(self._descriptor, 65536)
        except OSError:  # what ran in it has ended
            return False
        self.shown += data.decode(errors="replace")
        return bool(data)

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait(WITHIN_S)
        os.close(self._descriptor)
