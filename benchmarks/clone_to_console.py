"""From a clone and empty caches to a console that answers, beside the clone alone. Fetches from package registries."""

import os
import socket
import subprocess
import tempfile
from pathlib import Path
from time import monotonic, sleep
from urllib.request import urlopen

from benchmarks.figure import AtMost, Figure, Spread

_ROOT = Path(__file__).parent.parent
_WITHIN_S = 600.0
_CACHES = ("UV_CACHE_DIR", "PIP_CACHE_DIR", "npm_config_cache", "XDG_CACHE_HOME", "XDG_DATA_HOME")


def measure(*, rounds: int = 1) -> Figure:
    pairs = [_seconds() for _ in range(rounds)]
    return Figure(
        what="bare clone to a running console",
        unit="s",
        baseline_is="git clone",
        baseline=Spread.of([clone for clone, _ in pairs]),
        measured=Spread.of([console for _, console in pairs]),
        target=AtMost(60, "s"),
    )


def _seconds() -> tuple[float, float]:
    """What is committed is what is cloned."""
    with tempfile.TemporaryDirectory() as home:
        clone, data = Path(home) / "clone", Path(home) / "data"
        begun = monotonic()
        subprocess.run(["git", "clone", "--quiet", "--no-local", _ROOT, clone], check=True)
        cloned = monotonic() - begun
        environment = {
            **os.environ,
            **{name: f"{home}/{name}" for name in _CACHES},
            "HOME": home,
            "GLASSHOUSE_DATA_DIR": str(data),
            "GLASSHOUSE_OFFLINE": "always",
            "WORKING_DIR": home,
        }
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        command = [str(clone / "glasshouse"), "--port", str(port)]
        with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as process:
            try:
                _until_it_answers(f"http://127.0.0.1:{port}/", process)
                return cloned, monotonic() - begun
            finally:
                process.terminate()


def _until_it_answers(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = monotonic() + _WITHIN_S
    while monotonic() < deadline:
        assert process.poll() is None, "it ended instead of starting"
        try:
            with urlopen(url) as answer:
                assert b"<script" in answer.read(), "the page is not the console"
                return
        except OSError:
            sleep(0.1)
    raise TimeoutError(f"no console within {_WITHIN_S:g} s")
