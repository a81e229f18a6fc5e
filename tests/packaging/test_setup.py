"""What makes ./glasshouse set up again: anything that the console is built from, and nothing besides."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONSOLE = "src/glasshouse/entrypoints/http/console/index.html"
IS_CURRENT = "root=$PWD; . scripts/setup.sh; use_checkout; is_current run"
SETTLE = 'root=$PWD; . scripts/setup.sh; use_checkout; made_from run >"$venv/.made-from-run"'


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """With an environment that is current."""
    for name in ("pyproject.toml", "hatch_build.py", "scripts", "requirements"):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, tmp_path / name)
    for name in (".venv/bin/python", CONSOLE, "web/package.json", "web/src/console/main.tsx", "web/src/tests/fake.ts"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("one")
    (tmp_path / ".venv/bin/python").chmod(0o755)
    subprocess.run(["/bin/sh", "-uc", SETTLE], cwd=tmp_path, timeout=30, check=True)
    assert _is_current(tmp_path)
    return tmp_path


def _is_current(checkout: Path) -> bool:
    return subprocess.run(["/bin/sh", "-uc", IS_CURRENT], cwd=checkout, timeout=30, check=False).returncode == 0


@pytest.mark.parametrize(
    "name", ["web/package.json", "web/src/console/main.tsx", "web/src/tests/fake.ts", "scripts/build_console.py"]
)
def test_a_changed_source_is_built_at_the_next_start(checkout: Path, name: str) -> None:
    (checkout / name).write_text("two")

    assert not _is_current(checkout)


@pytest.mark.parametrize("name", ["web/src/new file.ts", "web/public/icon.svg"])
def test_a_new_source_is_built_at_the_next_start(checkout: Path, name: str) -> None:
    (checkout / name).parent.mkdir(exist_ok=True)
    (checkout / name).touch()

    assert not _is_current(checkout)


def test_a_console_that_was_deleted_is_built_again(checkout: Path) -> None:
    (checkout / CONSOLE).unlink()

    assert not _is_current(checkout)


@pytest.mark.parametrize(
    "name", ["web/node_modules/a/index.js", "web/dist/a.js", "web/tests/a.test.ts", "src/glasshouse/cli.py"]
)
def test_what_is_not_built_changes_nothing(checkout: Path, name: str) -> None:
    (checkout / name).parent.mkdir(parents=True, exist_ok=True)
    (checkout / name).touch()

    assert _is_current(checkout)


def test_a_file_that_is_only_touched_changes_nothing(checkout: Path) -> None:
    (checkout / "web/package.json").touch()

    assert _is_current(checkout)
