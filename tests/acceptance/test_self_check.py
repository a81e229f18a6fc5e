"""The self-check with the real Claude Code: by `glasshouse doctor`, and by a server once for each build."""

import json
import subprocess
import time
from pathlib import Path

import httpx
from tests.acceptance.conftest import StartServer

from glasshouse.contract.self_check import Behaviour
from glasshouse.testing.server_process import ServerProcess

_ENOUGH_S = 120.0


def test_doctor_sees_that_the_bundled_claude_code_does_all_that_is_relied_on(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "home", environment={"GLASSHOUSE_LANGUAGE": "en"})
    command = [*server.command[:3], "doctor"]
    seen = subprocess.run(
        command,
        env=server.environment,
        cwd=server.workspace,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_ENOUGH_S,
        check=False,
    )
    assert seen.returncode == 0, seen.stdout + seen.stderr
    assert seen.stdout.count("✓") == len(Behaviour)
    assert "All of it holds." in seen.stdout
    report = json.loads((server.data / "self-check.json").read_text())
    assert all(finding["holds"] for finding in report["findings"])
    # Nothing of the person's was touched, and nothing is left.
    assert not (server.home / ".claude").exists()
    assert list(server.workspace.iterdir()) == []


def test_a_server_looks_by_itself_once_and_says_what_it_found(start_server: StartServer) -> None:
    server = start_server(GLASSHOUSE_SELF_CHECK="auto")
    found = _looked(server)
    assert found["holds"] and found["failing"] == [] and found["version"]
    full = httpx.get(f"{server.url}/api/self-check", headers=server.headers, trust_env=False).json()
    assert [each["behaviour"] for each in full["report"]["findings"]] == list(Behaviour)
    assert set(full["sentences"]) == set(Behaviour)
    checked_at = full["report"]["checked_at"]
    assert server.stop() == 0
    server.start()
    _looked(server)
    again = httpx.get(f"{server.url}/api/self-check", headers=server.headers, trust_env=False).json()
    assert again["report"]["checked_at"] == checked_at


def _looked(server: ServerProcess) -> dict[str, object]:
    deadline = time.monotonic() + _ENOUGH_S
    while True:
        status = httpx.get(f"{server.url}/api/status", headers=server.headers, trust_env=False).json()
        found: dict[str, object] = status["self_check"]
        if found["state"] not in ("pending", "running"):
            assert found["state"] == "done", server.log
            return found
        assert time.monotonic() < deadline, found
        time.sleep(0.1)
