"""The names of a working directory, from real repositories and real folders."""

import os
import subprocess
from pathlib import Path

import pytest

from glasshouse.adapters.file_tree import LocalFileTree
from glasshouse.adapters.file_tree.walk import names_by_walking


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    root = tmp_path.resolve() / "repository"
    root.mkdir()
    git(root, "init", "--quiet")
    return root


def git(directory: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=directory, check=True, capture_output=True, timeout=20)


def written(path: Path, text: str = "x\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


async def names(directory: Path) -> set[str]:
    return set((await LocalFileTree().names(directory)).names)


async def test_in_a_repository_what_it_ignores_is_left_out(repository: Path) -> None:
    written(repository / ".gitignore", "*.log\nbuild/\n")
    written(repository / "src" / "known.py")
    git(repository, "add", ".")
    for name in ("new.py", "debug.log", "build/out.o"):
        written(repository / name)
    found = await LocalFileTree().names(repository)
    assert set(found.names) == {".gitignore", "src/known.py", "new.py"}
    assert found.complete


async def test_below_a_repositorys_root_names_are_from_there(repository: Path) -> None:
    written(repository / "src" / "a.py")
    written(repository / "b.py")
    assert await names(repository / "src") == {"a.py"}


@pytest.mark.parametrize("setting", ["core.fsmonitor", "core.hooksPath", "core.sshCommand"])
async def test_nothing_that_a_repository_names_is_run(repository: Path, setting: str) -> None:
    """faults: B10 (an agent may have written .git/config and hooks)"""
    canary = repository / "canary"
    program = written(repository / "hooks" / "post-index-change", f"#!/bin/sh\ntouch {canary}\n")
    program.chmod(0o755)
    written(repository / "file")
    git(repository, "config", setting, str(program.parent if "hooks" in setting else program))
    assert "file" in await names(repository)
    assert not canary.exists()


async def test_such_a_program_would_have_run(repository: Path) -> None:
    """The control of the test before."""
    canary = repository / "canary"
    program = written(repository / "monitor", f"#!/bin/sh\ntouch {canary}\n")
    program.chmod(0o755)
    git(repository, "config", "core.fsmonitor", str(program))
    git(repository, "ls-files", "--others")
    assert canary.exists()


async def test_variables_of_the_server_do_not_name_another_repository(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("here", "ignored"):
        written(repository / name)
    written(repository / ".gitignore", "ignored\n")
    monkeypatch.setenv("GIT_DIR", "/nowhere/.git")
    assert await names(repository) == {".gitignore", "here"}


async def test_without_a_repository_the_folders_are_walked(tmp_path: Path) -> None:
    for name in ("a.txt", "deep/er/b.txt", "node_modules/left/index.js", ".hidden"):
        written(tmp_path / name)
    assert await names(tmp_path) == {"a.txt", "deep/er/b.txt", ".hidden"}


async def test_a_damaged_repository_is_walked_too(repository: Path) -> None:
    written(repository / "a.txt")
    written(repository / ".git" / "HEAD", "nonsense")
    assert await names(repository) == {"a.txt"}


async def test_no_link_is_followed(tmp_path: Path) -> None:
    """faults: B3"""
    written(tmp_path / "outside" / "secret")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "out").symlink_to("../outside")
    (inside / "loop").symlink_to(".")
    assert await names(inside) == {"out", "loop"}


async def test_names_that_are_no_text_are_left_out(tmp_path: Path) -> None:
    """faults: B2"""
    for name in (b"good", b"bad\xff", b"line\nbreak", "右\u202eto-left".encode()):
        written(tmp_path / os.fsdecode(name))
    assert await names(tmp_path) == {"good"}


async def test_such_names_of_a_repository_are_left_out_too(repository: Path) -> None:
    for name in ("good", "line\nbreak"):
        (repository / name).touch()
    assert await names(repository) == {"good"}


def test_a_walk_that_takes_too_long_says_that_there_is_more(tmp_path: Path) -> None:
    written(tmp_path / "a" / "b")
    assert names_by_walking(tmp_path, -1) == ([], False)
