"""The package as it is shipped: it has the console in it, and runs in an environment that has nothing else."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import httpx
import pytest

from glasshouse.testing.server_process import ServerProcess

ROOT = Path(__file__).parents[2]
UV = shutil.which("uv") or str(ROOT / ".uv" / "bin" / "uv")
# What the set-up has fetched is enough.
OFFLINE = {**os.environ, "UV_OFFLINE": "1"}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not os.access(UV, os.X_OK), reason="no uv to build with"),
]


def _uv(*arguments: str | Path) -> None:
    ran = subprocess.run(
        [UV, *arguments], cwd=ROOT, env=OFFLINE, capture_output=True, text=True, timeout=90, check=False
    )
    assert ran.returncode == 0, ran.stderr


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An sdist of this checkout, and the wheel that was made from the sdist alone."""
    folder = tmp_path_factory.mktemp("built")
    _uv("build", "--quiet", "--build-constraints", "requirements/build.txt", "--out-dir", folder)
    return folder


def _the(folder: Path, pattern: str) -> Path:
    (found,) = folder.glob(pattern)
    return found


def test_an_sdist_has_all_that_the_console_is_built_from(built: Path, tmp_path: Path) -> None:
    with tarfile.open(_the(built, "*.tar.gz")) as sdist:
        sdist.extractall(tmp_path, filter="data")
    unpacked = _the(tmp_path, "glasshouse-*")

    current = "import sys; sys.path.insert(0, 'scripts'); import build_console as b; sys.exit(not b.is_current())"

    assert subprocess.run([sys.executable, "-c", current], cwd=unpacked, timeout=30, check=False).returncode == 0
    assert not (unpacked / "web" / "node_modules").exists()


def test_the_wheel_serves_the_console_from_an_empty_environment(built: Path, tmp_path: Path) -> None:
    environment = tmp_path / "venv"
    python = environment / "bin" / "python"
    _uv("venv", "--quiet", "--no-project", "--python", sys.executable, environment)
    for what in (("--require-hashes", "-r", "requirements/run.txt"), (_the(built, "*.whl"),)):
        _uv("pip", "install", "--quiet", "--python", python, "--no-deps", *what)
    server = ServerProcess(tmp_path / "home")
    server.command[0] = str(python)

    server.start()
    try:
        with httpx.Client(base_url=server.url, trust_env=False) as browser:
            page = browser.get("/", headers={"accept": "text/html"})
            named = re.findall(r'(?:src|href)="(/[^"]+)"', page.text)
            answers = [page, *map(browser.get, named)]
    finally:
        server.stop()

    assert [answer.status_code for answer in answers] == [200] * len(answers)
    assert any(name.endswith(".js") for name in named)
