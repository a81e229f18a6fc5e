"""The law of the package: imports point one way. Its rules stand in pyproject.toml, [tool.importlinter]."""

import ast
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "glasshouse"
# What says things and does nothing.
CONTRACT_MAY_IMPORT = {
    *("base64", "collections", "datetime", "enum", "functools", "hashlib", "re", "typing", "uuid"),
    *("pydantic", "pydantic_core"),
}


def checked(source: Path) -> subprocess.CompletedProcess[str]:
    linter = Path(sys.executable).with_name("lint-imports")
    command = [str(linter), "--no-cache", "--config", str(ROOT / "pyproject.toml")]
    environment = {**os.environ, "PYTHONPATH": str(source)}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False)


def test_imports_point_one_way() -> None:
    found = checked(ROOT / "src")

    assert found.returncode == 0, found.stdout[found.stdout.find("Contracts") :] + found.stderr


@pytest.mark.parametrize(
    ("module", "forbidden"),
    [
        ("contract/phrase.py", "import glasshouse.core.ports"),
        ("core/times.py", "import glasshouse.adapters.clock"),
        ("core/times.py", "import socket"),
        ("adapters/clock.py", "import glasshouse.testing.manual_clock"),
        ("engines/claude/catalogue.py", "import glasshouse.adapters.clock"),
        ("bootstrap/sources.py", "import glasshouse.entrypoints.cli"),
    ],
)
def test_the_check_would_notice(tmp_path: Path, module: str, forbidden: str) -> None:
    shutil.copytree(PACKAGE, tmp_path / "glasshouse", ignore=shutil.ignore_patterns("__pycache__"))
    with (tmp_path / "glasshouse" / module).open("a") as file:
        file.write(f"\n{forbidden}\n")

    assert checked(tmp_path).returncode == 1


def test_every_package_has_its_place_in_the_law() -> None:
    rules = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = {name.strip() for layer in rules[0]["layers"] for name in layer.split("|")}

    assert layers == {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()}


@pytest.mark.parametrize(
    "path", sorted((PACKAGE / "contract").rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE))
)
def test_the_contract_does_no_io(path: Path) -> None:
    imported = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add(node.module or "")

    foreign = {name for name in imported if not name.startswith("glasshouse.contract")}
    assert {name.partition(".")[0] for name in foreign} <= CONTRACT_MAY_IMPORT
