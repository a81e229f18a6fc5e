"""A file put back: precisely it, never through a link, never over what is newer."""

import os
from pathlib import Path

import pytest
from tests.support.repository import Repo, everywhere

from glasshouse.adapters.git import GitTrees
from glasshouse.core.ports import ChangedMeanwhile, Comparison, NotRestored
from glasshouse.testing.manual_clock import ManualClock

SESSION = "11111111-1111-4111-8111-111111111111"


@pytest.fixture
def trees(tmp_path: Path) -> GitTrees:
    return GitTrees(tmp_path / "trees", covers=everywhere, clock=ManualClock())


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "work")


async def restore_all(comparison: Comparison) -> None:
    for change in comparison.changes:
        await comparison.restore(change)


def state(root: Path) -> dict[str, object]:
    def one(path: Path) -> object:
        if path.is_symlink():
            return str(path.readlink())
        return path.read_bytes(), os.access(path, os.X_OK)

    below = (path for path in root.rglob("*") if ".git" not in path.parts)
    return {str(path.relative_to(root)): one(path) for path in below if path.is_symlink() or path.is_file()}


async def test_everything_goes_back(trees: GitTrees, repo: Repo) -> None:
    for name in ("edited", "deleted/deep/file", "renamed", "program", "link-now"):
        repo.write(name, f"{name}\n" * 30)
    (repo.root / "link").symlink_to("edited")
    before = state(repo.root)
    await trees.remember(SESSION, str(repo.root))
    repo.write("edited", "2\n")
    (repo.root / "deleted" / "deep" / "file").unlink()
    (repo.root / "deleted" / "deep").rmdir()
    (repo.root / "deleted").rmdir()
    (repo.root / "renamed").rename(repo.root / "another")
    (repo.root / "program").chmod(0o755)
    (repo.root / "link-now").unlink()
    (repo.root / "link-now").symlink_to("edited")
    (repo.root / "link").unlink()
    repo.write("link", "a file\n")
    repo.write("added", "x\n")

    async with trees.compare(SESSION, str(repo.root)) as comparison:
        await restore_all(comparison)
        assert state(repo.root) == before


async def test_its_permissions_stay(trees: GitTrees, repo: Repo) -> None:
    secret = repo.write("secret", "1\n")
    secret.chmod(0o600)
    await trees.remember(SESSION, str(repo.root))
    secret.write_text("2\n")
    async with trees.compare(SESSION, str(repo.root)) as comparison:
        await restore_all(comparison)
    assert secret.stat().st_mode & 0o777 == 0o600 and secret.read_text() == "1\n"


@pytest.mark.parametrize("newer", ["edited", "gone", "link", "directory"])
async def test_what_changed_while_it_was_looked_at_is_left(trees: GitTrees, repo: Repo, newer: str) -> None:
    file = repo.write("a", "1\n")
    await trees.remember(SESSION, str(repo.root))
    file.write_text("2\n")
    async with trees.compare(SESSION, str(repo.root)) as comparison:
        file.unlink()
        if newer == "edited":
            file.write_text("3\n")
        elif newer == "link":
            file.symlink_to("/etc/hostname")
        elif newer == "directory":
            file.mkdir()
        before = state(repo.root)
        with pytest.raises(ChangedMeanwhile):
            await comparison.restore(comparison.changes[0])
        assert state(repo.root) == before


async def test_what_came_into_being_in_a_deleted_files_place_is_left(trees: GitTrees, repo: Repo) -> None:
    file = repo.write("a", "1\n")
    await trees.remember(SESSION, str(repo.root))
    file.unlink()
    async with trees.compare(SESSION, str(repo.root)) as comparison:
        file.write_text("newer\n")
        with pytest.raises(ChangedMeanwhile):
            await comparison.restore(comparison.changes[0])
    assert file.read_text() == "newer\n"
    assert list(repo.root.glob(".glasshouse-*")) == []


# faults: B3
async def test_no_link_on_the_way_is_followed(trees: GitTrees, repo: Repo, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    repo.write("folder/file", "1\n")
    await trees.remember(SESSION, str(repo.root))
    (repo.root / "folder" / "file").unlink()
    async with trees.compare(SESSION, str(repo.root)) as comparison:
        (repo.root / "folder").rmdir()
        (repo.root / "folder").symlink_to(outside)
        with pytest.raises(NotRestored):
            await comparison.restore(comparison.changes[0])
    assert list(outside.iterdir()) == []


# faults: B5
async def test_a_hard_link_is_refused(trees: GitTrees, repo: Repo, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    canary.write_text("precious\n")
    repo.write("a", "1\n")
    await trees.remember(SESSION, str(repo.root))
    (repo.root / "a").unlink()
    os.link(canary, repo.root / "a")
    async with trees.compare(SESSION, str(repo.root)) as comparison:
        with pytest.raises(NotRestored, match="hard link"):
            await comparison.restore(comparison.changes[0])
    assert canary.read_text() == "precious\n" and canary.stat().st_nlink == 2


async def test_a_repository_inside_and_a_large_file_are_refused(trees: GitTrees, repo: Repo) -> None:
    await trees.remember(SESSION, str(repo.root))
    Repo(repo.root / "clone").write("x", "1\n", commit=True)
    os.truncate(repo.write("large"), 17 * 1024 * 1024)
    async with trees.compare(SESSION, str(repo.root)) as comparison:
        assert len(comparison.changes) == 2
        for change in comparison.changes:
            with pytest.raises(NotRestored):
                await comparison.restore(change)
