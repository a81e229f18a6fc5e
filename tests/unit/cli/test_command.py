"""The command: what it refuses and with which code, what it says, and that asking for help costs nothing."""

import json
import os
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.bench import Bench
from tests.support.served import Served

from glasshouse.adapters.data_directory import DataDirectory
from glasshouse.bootstrap.sources import data_directory_of, read_settings
from glasshouse.core.settings import BadSettings, Settings
from glasshouse.entrypoints.cli import main
from glasshouse.entrypoints.cli.link import link_to
from glasshouse.entrypoints.cli.serve import _announce, _url


@pytest.fixture(autouse=True)
def _at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of this machine's own settings."""
    for variable in list(os.environ):
        if variable.startswith(("GLASSHOUSE_", "XDG_")) or variable == "WORKING_DIR":
            monkeypatch.delenv(variable)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GLASSHOUSE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def data(tmp_path: Path) -> DataDirectory:
    data = DataDirectory(tmp_path / "data")
    data.prepare()
    return data


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["glasshouse", *arguments])
    return main()


class TestRefusing:
    # faults: K3
    def test_an_unknown_setting_is_2_and_named(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setenv("GLASSHOUSE_PROT", "1")

        assert run(monkeypatch) == 2
        assert capsys.readouterr().err == "glasshouse: unknown setting in the environment: GLASSHOUSE_PROT\n"

    @pytest.mark.parametrize("arguments", [["--port", "x"], ["serve", "--port", "70000"], ["--data-dir", "relative"]])
    def test_a_bad_flag_is_2_and_named(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str]
    ) -> None:
        assert run(monkeypatch, *arguments) == 2
        assert capsys.readouterr().err.startswith(f"glasshouse: {arguments[-2]}: must be ")

    @pytest.mark.parametrize("arguments", [["--prot", "1"], ["--por", "1"], ["serve", "x"], ["nonsense"], ["--port"]])
    def test_what_is_no_command_is_2(self, monkeypatch: pytest.MonkeyPatch, arguments: list[str]) -> None:
        with pytest.raises(SystemExit) as end:
            run(monkeypatch, *arguments)
        assert end.value.code == 2

    # faults: A6
    @pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "10.0.0.1", "example.org", "::ffff:10.0.0.1"])
    def test_a_door_that_is_open_to_others_wants_a_key_of_the_operators(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], data: DataDirectory, host: str
    ) -> None:
        data.api_key()  # one that was made does not count

        assert run(monkeypatch, "--host", host) == 2
        assert "set GLASSHOUSE_API_KEY" in capsys.readouterr().err

    def test_a_port_in_use_is_3(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]

            assert run(monkeypatch, "--port", str(port)) == 3
        assert capsys.readouterr().err == (
            f"glasshouse: port {port} on 127.0.0.1 is in use; choose another with --port, or --port 0 for a free one\n"
        )

    # faults: I6
    def test_a_data_directory_in_use_is_3(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], data: DataDirectory
    ) -> None:
        data.lock()

        assert run(monkeypatch, "--port", "0") == 3
        assert f"another Glasshouse works on {data.path}" in capsys.readouterr().err

    def test_a_data_directory_that_is_a_file_is_2(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
    ) -> None:
        (tmp_path / "data").write_text("")

        assert run(monkeypatch, "--port", "0") == 2
        assert "set GLASSHOUSE_DATA_DIR" in capsys.readouterr().err

    @pytest.mark.parametrize("host", ["127.0.0.1.invalid", "no-such-host.invalid"])
    def test_a_host_that_is_none_is_2(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], host: str
    ) -> None:
        monkeypatch.setenv("GLASSHOUSE_API_KEY", "k" * 32)

        assert run(monkeypatch, "--host", host, "--port", "0") == 2
        assert f"cannot listen on {host}" in capsys.readouterr().err

    @pytest.mark.parametrize(
        ("name", "content"),
        [("WORKING_DIR", None), ("api-key", b"\xff\xfe"), ("id", b"\xff\xfe")],
    )
    def test_what_is_found_out_late_is_2_in_one_sentence_too(
        self, tmp_path: Path, data: DataDirectory, name: str, content: bytes | None
    ) -> None:
        environment = {**os.environ}
        if content is None:
            environment |= {name: "/tmp", "GLASSHOUSE_ALLOWED_DIRS": str(tmp_path)}
        else:
            (data.path / name).write_bytes(content)
        command = [sys.executable, "-m", "glasshouse", "--port", "0"]
        ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)

        assert ended.returncode == 2
        assert name in ended.stderr
        assert len(ended.stderr.splitlines()) == 1

    def test_a_refusal_leaves_no_server_announced(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        run(monkeypatch, "--host", "0.0.0.0")

        assert not (tmp_path / "data").exists()


class TestHelp:
    @pytest.mark.parametrize("arguments", [["--help"], ["serve", "--help"], ["link", "--help"], ["--version"]])
    def test_it_imports_next_to_nothing(self, arguments: list[str]) -> None:
        code = (
            "import json, sys\nfrom glasshouse.entrypoints.cli import main\n"
            f"sys.argv = ['glasshouse', *{arguments}]\n"
            "try:\n    main()\nexcept SystemExit as end:\n"
            "    print(json.dumps([end.code, list(sys.modules)]), file=sys.stderr)"
        )
        ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)

        code_of_end, modules = json.loads(ended.stderr)
        assert code_of_end == 0
        assert ended.stdout.startswith(("usage: glasshouse", "glasshouse "))
        heavy = {
            "asyncio",
            "pydantic",
            "fastapi",
            "uvicorn",
            "apsw",
            "orjson",
            "claude_agent_sdk",
            "importlib.metadata",
        }
        assert not heavy & set(modules)

    def test_it_names_the_exit_codes_and_who_wins(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        with pytest.raises(SystemExit) as end:
            run(monkeypatch, "--help")

        assert end.value.code == 0
        said = capsys.readouterr().out
        assert "0 clean, 2 bad settings, 3 port or data directory in use" in said
        assert "flags win" in said


class TestSettings:
    def test_flag_environment_and_file_win_in_this_order(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        (tmp_path / "c.toml").write_text('port = 3\nhost = "::1"\nlanguage = "en"\n')
        environment = {
            "GLASSHOUSE_CONFIG": str(tmp_path / "c.toml"),
            "GLASSHOUSE_PORT": "2",
            "GLASSHOUSE_HOST": "localhost",
        }

        found = read_settings({"port": "1", "host": None}, environment)

        assert (found.port, found.host, found.language) == (1, "localhost", "en")

    def test_the_file_is_looked_for_where_it_belongs(self, tmp_path: Path) -> None:
        (tmp_path / "config" / "glasshouse").mkdir(parents=True)
        (tmp_path / "config" / "glasshouse" / "config.toml").write_text("port = 3")

        assert read_settings({}, {"XDG_CONFIG_HOME": str(tmp_path / "config")}).port == 3

    def test_no_file_is_no_trouble_unless_it_was_named(self, tmp_path: Path) -> None:
        assert read_settings({}, {"XDG_CONFIG_HOME": str(tmp_path)}) == Settings()
        with pytest.raises(BadSettings, match="GLASSHOUSE_CONFIG: no such file"):
            read_settings({}, {"GLASSHOUSE_CONFIG": str(tmp_path / "none.toml")})

    @pytest.mark.parametrize("content", [b"port", b"\xff", b"port = 1\nport = 2", b"[[[", b"a" * 100_000])
    def test_what_is_no_toml_is_said(self, tmp_path: Path, content: bytes) -> None:
        (tmp_path / "c.toml").write_bytes(content)

        with pytest.raises(BadSettings, match="is not TOML"):
            read_settings({}, {"GLASSHOUSE_CONFIG": str(tmp_path / "c.toml")})

    def test_what_cannot_be_read_is_said(self, tmp_path: Path) -> None:
        with pytest.raises(BadSettings, match="cannot be read"):
            read_settings({}, {"GLASSHOUSE_CONFIG": str(tmp_path)})

    def test_the_flag_for_the_file_is_one_word_for_its_variable(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
    ) -> None:
        monkeypatch.setenv("GLASSHOUSE_CONFIG", "")
        (tmp_path / "c.toml").write_text("prot = 1")

        assert run(monkeypatch, "--config", str(tmp_path / "c.toml")) == 2
        assert "unknown key in the settings file: prot" in capsys.readouterr().err

    @pytest.mark.parametrize(
        ("environment", "expected"),
        [
            ({"XDG_DATA_HOME": "/d"}, Path("/d/glasshouse")),
            ({"XDG_DATA_HOME": "relative"}, None),
            ({}, None),
        ],
    )
    def test_the_data_directory_is_where_it_belongs(
        self, tmp_path: Path, environment: dict[str, str], expected: Path | None
    ) -> None:
        found = data_directory_of(Settings(), environment)

        assert found == (expected or tmp_path / ".local/share/glasshouse")

    def test_options_count_on_either_side_of_the_command(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        for arguments in (["--port", "x", "serve"], ["serve", "--port", "x"]):
            assert run(monkeypatch, *arguments) == 2
            assert "--port" in capsys.readouterr().err


class TestLink:
    def test_it_prints_a_link_that_is_good_once(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], data: DataDirectory
    ) -> None:
        data.lock()
        data.announce({"url": "http://127.0.0.1:8123", "pid": 1})

        assert run(monkeypatch, "link") == 0
        url, _, code = capsys.readouterr().out.strip().partition("/#code=")
        assert url == "http://127.0.0.1:8123"
        assert data.spend_code(code)
        assert not data.spend_code(code)

    def test_without_a_server_it_says_how_to_start_one(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert run(monkeypatch, "link") == 1
        assert "start one with: glasshouse" in capsys.readouterr().err

    def test_it_takes_the_data_directory_as_a_flag(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], data: DataDirectory, tmp_path: Path
    ) -> None:
        monkeypatch.setenv("GLASSHOUSE_DATA_DIR", str(tmp_path / "other"))
        data.lock()
        data.announce({"url": "http://127.0.0.1:8123", "pid": 1})

        assert run(monkeypatch, "link", "--data-dir", str(data.path)) == 0

    def test_bad_settings_are_2(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("GLASSHOUSE_PORT", "x")

        assert run(monkeypatch, "link") == 2

    def test_the_code_stands_where_no_server_sees_it(self) -> None:
        assert link_to("http://127.0.0.1:8000", "abc") == "http://127.0.0.1:8000/#code=abc"


class TestTheStartUpLines:
    @pytest.fixture
    def served(self, tmp_path: Path) -> Iterator[Served]:
        yield Served(Bench(tmp_path), Settings(language="en"))

    def test_they_say_where_what_and_how_to_come_in(self, served: Served, capsys: pytest.CaptureFixture[str]) -> None:
        _announce(served.services, served.data, "http://127.0.0.1:8123", "./glasshouse")

        said = capsys.readouterr().out
        assert "is running: http://127.0.0.1:8123" in said
        assert "http://127.0.0.1:8123/#code=" in said
        assert str(served.bench.work) in said
        assert str(served.data.path / "api-key") in said
        assert "./glasshouse link" in said
        assert served.data.api_key() not in said
        assert "OFFLINE" not in said

    def test_the_demo_is_said_loudly(self, served: Served, capsys: pytest.CaptureFixture[str]) -> None:
        served.bench.engine.is_offline = True

        _announce(served.services, served.data, "http://127.0.0.1:8123", "./glasshouse")

        assert "OFFLINE DEMO MODEL" in capsys.readouterr().out

    def test_the_server_is_found_by_its_file_which_is_private(self, served: Served) -> None:
        _announce(served.services, served.data, "http://127.0.0.1:8123", "./glasshouse")

        path = served.data.path / "server.json"
        assert json.loads(path.read_text()) == {"url": "http://127.0.0.1:8123", "pid": os.getpid()}
        assert stat.S_IMODE(path.stat().st_mode) == 0o600

    def test_nobody_who_listens_is_no_trouble(self, served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
        read, write = os.pipe()
        os.close(read)
        gone = os.fdopen(write, "w", encoding="ascii")
        monkeypatch.setattr(sys, "stdout", gone)

        _announce(served.services, served.data, "http://127.0.0.1:8123", "./glasshouse")

        monkeypatch.undo()
        with pytest.raises(BrokenPipeError):
            gone.close()


@pytest.mark.parametrize(
    ("host", "url"),
    [("127.0.0.1", "http://127.0.0.1:{}"), ("localhost", "http://localhost:{}"), ("0.0.0.0", "http://127.0.0.1:{}")],
)
def test_the_address_that_is_shown_can_be_opened(host: str, url: str) -> None:
    with socket.create_server((host, 0)) as listener:
        assert _url(host, listener) == url.format(listener.getsockname()[1])
