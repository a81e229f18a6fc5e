"""What holds for each module: it says what it is for, and importing it does nothing."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "glasshouse"
MODULES = sorted(PACKAGE.rglob("*.py"))

# Imports every module and reports what that did beside importing.
IMPORT_ALL = """
import json, os, pkgutil, sys, threading

done = []

def watch(event, arguments):
    if event == "open":
        path, mode, flags = arguments
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) and "__pycache__" not in str(path):
            done.append(f"{event} {path}")
    elif event in ("os.mkdir", "os.remove", "os.rename", "os.fork", "os.kill", "os.putenv", "subprocess.Popen",
                   "os.posix_spawn", "os.exec", "socket.bind", "socket.connect", "signal.signal", "fcntl.flock"):
        if "__pycache__" not in str(arguments):
            done.append(f"{event} {arguments}")

environment = dict(os.environ)
import glasshouse
names = [m.name for m in pkgutil.walk_packages(glasshouse.__path__, "glasshouse.") if "__main__" not in m.name]
for name in ("apsw", "claude_agent_sdk", "fastapi", "orjson", "pydantic", "pytest", "uvicorn", "websockets"):
    __import__(name)  # what these do is their own affair
sys.addaudithook(watch)
before = threading.active_count()
for name in names:
    __import__(name)
if threading.active_count() != before:
    done.append(f"threads {threading.enumerate()}")
if dict(os.environ) != environment:
    done.append("environment")
print(json.dumps({"imported": len(names), "done": done}))
"""


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_says_what_it_is_for(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text())), "a module begins with a sentence on what it is for"


def test_importing_does_nothing() -> None:
    found = json.loads(run(IMPORT_ALL))

    assert found["done"] == []
    assert found["imported"] > 50


@pytest.mark.parametrize(
    ("module", "never"),
    [
        # The SDK alone takes as long to import as all else together: a thread does it once the server is ready.
        ("glasshouse.bootstrap", ["claude_agent_sdk", "mcp", "fastapi", "uvicorn"]),
        ("glasshouse.entrypoints.http.server", ["claude_agent_sdk", "mcp"]),
        # `glasshouse --help` is argparse and nothing more.
        ("glasshouse.entrypoints.cli", ["asyncio", "pydantic", "importlib.metadata", "fastapi", "apsw", "orjson"]),
        ("glasshouse.contract.events", ["asyncio", "orjson", "apsw", "fastapi"]),
        ("glasshouse.core.execution", ["apsw", "fastapi", "claude_agent_sdk"]),
    ],
)
def test_a_module_does_not_bring_along(module: str, never: list[str]) -> None:
    loaded = json.loads(run(f"import json, sys, {module}; print(json.dumps(list(sys.modules)))"))

    assert not set(never) & set(loaded)


def run(code: str) -> str:
    # Python's own writing of bytecode, on a first run, is nobody's doing: -B.
    command = [sys.executable, "-B", "-c", code]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
