"""The launcher is one executable file, wherever Python and the data directory are."""

import asyncio
import os
import sys
from pathlib import Path

import pytest
from tests.unit.processes.support import IDENTITY

from glasshouse.adapters.processes import SupervisedProcesses
from glasshouse.adapters.processes.launcher import LauncherUnusable, write_launcher

ODD = ("with blank", 'it\'s "quoted" $HOME `x` \\', "l" + "o" * 120 + "ng")


@pytest.mark.parametrize("name", ODD)
async def test_any_path_of_python_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    python = tmp_path / name / "python"
    python.parent.mkdir()
    python.symlink_to(sys.executable)
    monkeypatch.setattr(sys, "executable", str(python))
    assert await _runs(SupervisedProcesses(tmp_path / "data", IDENTITY))


@pytest.mark.parametrize("name", ODD)
async def test_any_data_directory_will_do(tmp_path: Path, name: str) -> None:
    assert await _runs(SupervisedProcesses(tmp_path / name, IDENTITY))


async def _runs(processes: SupervisedProcesses) -> bool:
    environment = {**os.environ, **processes.environment("run-1", "/bin/echo")}
    process = await asyncio.create_subprocess_exec(
        processes.launcher, "a  b", env=environment, stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate()
    return output == b"a  b\n"


def test_only_its_owner_can_read_or_change_it(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        path = write_launcher(tmp_path / "data")
        assert write_launcher(tmp_path / "data") == path
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o700
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert list(path.parent.iterdir()) == [path]


def test_a_directory_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    with pytest.raises(LauncherUnusable, match=str(tmp_path / "data")):
        write_launcher(tmp_path / "data")


def test_a_directory_whose_files_cannot_be_executed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(LauncherUnusable, match="noexec"):
        write_launcher(tmp_path)


@pytest.mark.parametrize("identity", ["", "with-hyphen", "PROGRAM", "a=b"])
def test_an_identity_that_is_no_name_for_a_variable_is_refused(tmp_path: Path, identity: str) -> None:
    with pytest.raises(ValueError, match="not a name"):
        SupervisedProcesses(tmp_path, identity)
