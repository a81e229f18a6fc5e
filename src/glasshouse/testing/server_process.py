"""A real server as a process of its own, on a free port and a data directory of its own: for tests and benchmarks."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

KEY = "a-key-for-tests-only-0123456789"
_READY_WITHIN_S = 60.0
_ENDS_WITHIN_S = 20.0
# What a process of ours may inherit: nothing of the caller's settings, credentials or proxies.
_INHERITED = ("PATH", "LANG", "LC_ALL", "TMPDIR", "TERM")


class ServerDidNotStart(Exception):
    """The process ended, or did not become ready in time; the text is what it printed."""


class ServerProcess:
    """`home` holds all that the server keeps, so that a second one on the same home goes on where the first was."""

    def __init__(
        self, home: Path, *, arguments: Sequence[str] = (), environment: Mapping[str, str] | None = None
    ) -> None:
        self.home = home
        self.workspace = home / "work"
        self.data = home / "data"
        self.workspace.mkdir(parents=True, exist_ok=True)
        self._output = home / "output.txt"
        self._log = home / "log.txt"
        inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        self.environment = {
            **inherited,
            "HOME": str(home),
            "GLASSHOUSE_API_KEY": KEY,
            "GLASSHOUSE_DATA_DIR": str(self.data),
            "WORKING_DIR": str(self.workspace),
            "GLASSHOUSE_OFFLINE": "always",
            "GLASSHOUSE_RATE_LIMIT": "0",
            # It would run beside whatever is tested or measured; it has a test of its own.
            "GLASSHOUSE_SELF_CHECK": "never",
            **(environment or {}),
        }
        self.command = [sys.executable, "-m", "glasshouse", "--port", "0", *arguments]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> "ServerProcess":
        """Returns once it is ready. Raises ServerDidNotStart."""
        with self._output.open("wb") as output, self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self.command,
                cwd=self.workspace,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=log,
                start_new_session=True,
            )
        deadline = time.monotonic() + _READY_WITHIN_S
        while self._announced().get("pid") != self.pid:
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                raise ServerDidNotStart(self.output + self.log)
            time.sleep(0.01)
        return self

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def url(self) -> str:
        return str(self._announced()["url"])

    def _announced(self) -> dict[str, Any]:
        """What the server says of itself; after a crash, what the one before said."""
        try:
            found: dict[str, Any] = json.loads((self.data / "server.json").read_text())
        except FileNotFoundError:
            return {}
        return found

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {KEY}"}

    @property
    def output(self) -> str:
        return self._output.read_text()

    @property
    def log(self) -> str:
        return self._log.read_text()

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def wait(self) -> int:
        """Its exit code. One that does not end is killed."""
        assert self._process is not None
        try:
            return self._process.wait(_ENDS_WITHIN_S)
        except subprocess.TimeoutExpired:
            self.kill()
            raise

    def stop(self) -> int:
        """As a supervisor would; returns the exit code."""
        self.signal(signal.SIGTERM)
        return self.wait()

    def kill(self) -> None:
        """The server alone, without a word."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(_ENDS_WITHIN_S)


@contextmanager
def running_server(
    home: Path, *, arguments: Sequence[str] = (), environment: Mapping[str, str] | None = None
) -> Iterator[ServerProcess]:
    server = ServerProcess(home, arguments=arguments, environment=environment).start()
    try:
        yield server
    finally:
        if server.is_running:
            server.stop()
