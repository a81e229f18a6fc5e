"""A start that cannot be says why in a sentence, ends with the code for it, and touches nothing."""

import os
import shutil
import socket
import stat
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import httpx
import pytest
from tests.acceptance.conftest import StartServer

from glasshouse.testing.server_process import ServerProcess

REFUSES_WITHIN_S = 30.0


@pytest.fixture
def unstarted(tmp_path: Path) -> ServerProcess:
    return ServerProcess(tmp_path / "home")


def _refusal(
    server: ServerProcess, *arguments: str, below: Sequence[str] = (), without: str = "", **environment: str
) -> tuple[int, str]:
    """Exit code and what it said. `below` is a command that starts it."""
    inherited = {name: value for name, value in server.environment.items() if name != without}
    ended = subprocess.run(
        [*below, *server.command, *arguments],
        env={**inherited, **environment},
        cwd=server.workspace,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=REFUSES_WITHIN_S,
        check=False,
    )
    assert ended.stdout == ""
    assert "Traceback" not in ended.stderr
    return ended.returncode, ended.stderr


# faults: I6
def test_a_data_directory_has_one_server(start_server: StartServer) -> None:
    server = start_server()
    code, said = _refusal(server)
    assert code == 3
    assert str(server.data) in said and "glasshouse link" in said
    assert httpx.get(f"{server.url}/ready", trust_env=False).status_code == 200


def test_a_busy_port_is_named(unstarted: ServerProcess) -> None:
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = str(busy.getsockname()[1])
        code, said = _refusal(unstarted, "--port", port)
    assert code == 3
    assert port in said and "--port" in said


# faults: K3
@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("GLASSHOUSE_PORT", "eighty"),
        ("GLASSHOUSE_PORT", "-1"),
        ("GLASSHOUSE_API_KEY", "short"),
        ("GLASSHOUSE_TYPO", "1"),
        ("GLASSHOUSE_SANDBOX", "auto"),
        ("GLASSHOUSE_OFFLINE", "maybe"),
        ("GLASSHOUSE_ALLOWED_DIRS", ""),
        ("GLASSHOUSE_ALLOWED_DIRS", "relative"),
        ("GLASSHOUSE_ALLOWED_HOSTS", "http://a.b"),
        ("GLASSHOUSE_RATE_LIMIT", "-5"),
        ("GLASSHOUSE_TASK_TIMEOUT_S", "nan"),
        ("WORKING_DIR", "relative"),
    ],
)
def test_a_setting_that_is_wrong_is_named(unstarted: ServerProcess, variable: str, value: str) -> None:
    # `--port` is a flag, and would win over the variable.
    del unstarted.command[-2:]
    code, said = _refusal(unstarted, **{variable: value})
    assert code == 2
    assert variable in said
    assert not unstarted.data.exists()


def test_a_settings_file_is_held_to_the_same(unstarted: ServerProcess, tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    for text, named in (("colour = 1", "colour"), ("port = 'x'", "port"), ("port =", str(file))):
        file.write_text(text)
        code, said = _refusal(unstarted, GLASSHOUSE_CONFIG=str(file))
        assert code == 2 and named in said
    code, said = _refusal(unstarted, GLASSHOUSE_CONFIG=str(tmp_path / "none.toml"))
    assert code == 2 and "none.toml" in said


def test_a_working_directory_outside_the_allowed_ones_is_refused(unstarted: ServerProcess, tmp_path: Path) -> None:
    code, said = _refusal(unstarted, GLASSHOUSE_ALLOWED_DIRS=str(tmp_path / "elsewhere"))
    assert code == 2
    assert "WORKING_DIR" in said


# faults: A6
@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7"])
def test_no_door_is_open_to_other_machines_without_a_key_of_the_operators(unstarted: ServerProcess, host: str) -> None:
    unstarted.data.mkdir()
    (unstarted.data / "api-key").write_text("a-generated-key-does-not-count-0123456789\n")
    code, said = _refusal(unstarted, "--host", host, without="GLASSHOUSE_API_KEY")
    assert code == 2
    assert "GLASSHOUSE_API_KEY" in said


# faults: I6
@pytest.mark.parametrize("damage", ["garbage", "cut", "empty header"])
def test_a_damaged_database_is_left_as_it_is(start_server: StartServer, damage: str) -> None:
    server = start_server()
    server.stop()
    database = server.data / "glasshouse.db"
    content = database.read_bytes()
    damaged = {
        "garbage": b"this is no database" * 400,
        "cut": content[: len(content) - 4096 - 100],
        "empty header": bytes(100) + content[100:],
    }[damage]
    database.write_bytes(damaged)
    code, said = _refusal(server)
    assert code == 2
    assert str(database) in said
    assert database.read_bytes() == damaged


def test_a_data_directory_that_cannot_be_written_is_named(unstarted: ServerProcess) -> None:
    unstarted.home.chmod(0o500)
    code, said = _refusal(unstarted, below=_as_mere_owner())
    unstarted.home.chmod(0o700)
    assert code == 2
    assert str(unstarted.data) in said and "GLASSHOUSE_DATA_DIR" in said
    assert not unstarted.data.exists()


def test_a_place_that_is_a_file_is_named(unstarted: ServerProcess) -> None:
    unstarted.data.write_text("a file")
    code, said = _refusal(unstarted)
    assert code == 2
    assert str(unstarted.data) in said
    assert unstarted.data.read_text() == "a file"


# faults: K1
def test_what_it_keeps_is_the_users_alone_whatever_the_umask(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "home")
    del server.environment["GLASSHOUSE_API_KEY"]
    server.command[:0] = ["/bin/sh", "-c", 'umask 0; exec "$@"', "sh"]
    server.start()
    try:
        keys = (server.data / "api-key").read_text().strip()
        assert len(keys) >= 32 and keys not in server.output + server.log
        for path in (server.data, *server.data.rglob("*")):
            assert stat.S_IMODE(path.lstat().st_mode) & 0o077 == 0, path
    finally:
        assert server.stop() == 0


def test_a_link_signs_in_once(start_server: StartServer) -> None:
    server = start_server()
    printed = subprocess.run(
        [*server.command[:3], "link"], env=server.environment, capture_output=True, text=True, timeout=30, check=True
    )
    address, _, code = printed.stdout.strip().partition("/#code=")
    assert address == server.url
    with httpx.Client(base_url=server.url, trust_env=False) as browser:
        assert browser.get("/api/status").status_code == 401
        assert browser.post("/api/login", json={"key": code}).status_code == 200
        assert browser.get("/api/status").status_code == 200
        server.stop()
        assert (code in server.log) is False
    with httpx.Client(base_url=server.start().url, trust_env=False, cookies=browser.cookies) as again:
        assert again.get("/api/status").status_code == 200
        assert httpx.post(f"{server.url}/api/login", json={"key": code}, trust_env=False).status_code == 401


def test_there_is_no_link_to_a_server_that_does_not_run(unstarted: ServerProcess) -> None:
    unstarted.command[3:] = ["link"]
    code, said = _refusal(unstarted)
    assert code == 1
    assert "no server runs" in said


def test_the_start_says_that_the_model_is_a_demo(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "home", environment={"GLASSHOUSE_OFFLINE": "auto", "GLASSHOUSE_LANGUAGE": "en"})
    server.start()
    assert server.stop() == 0
    said = server.output
    assert "OFFLINE DEMO MODEL" in said and "glasshouse claude" in said
    assert "#code=" in said


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_it_runs_with_nothing_to_read_from_or_to_write_to(tmp_path: Path, closed: str) -> None:
    server = ServerProcess(tmp_path / "home")
    server.command[:0] = ["/bin/sh", "-c", f'exec "$@" {closed}', "sh"]
    server.start()
    body = {"prompt": "List the files in this directory", "tools": ["Bash"]}
    answer = httpx.post(f"{server.url}/api/task", json=body, headers=server.headers, timeout=60, trust_env=False)
    assert server.stop() == 0
    assert answer.json()["status"] == "completed"


def test_the_bundled_claude_code_is_there_to_sign_in_with(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "glasshouse", "claude", "--version"]
    ran = subprocess.run(
        command, env={"HOME": str(tmp_path), "PATH": os.defpath}, capture_output=True, text=True, timeout=30, check=True
    )
    assert "Claude Code" in ran.stdout


def _as_mere_owner() -> Sequence[str]:
    """Root may write anywhere; not without these two."""
    if os.geteuid() != 0:
        return ()
    if shutil.which("setpriv") is None:
        pytest.skip("as root, and no setpriv to lay down root's rights")
    return ("setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search")
