"""What a session changed, told by real git, in every kind of repository that people have."""

import os
from pathlib import Path

import pytest
from tests.support.repository import Repo, everywhere

from glasshouse.adapters.git import GitTrees
from glasshouse.core.paths import DirectoryGuard
from glasshouse.core.ports import ChangeStatus, NoTree, NotRestored, TreeChange, TreeUnavailable
from glasshouse.testing.manual_clock import ManualClock

SESSION = "11111111-1111-4111-8111-111111111111"
Told = list[tuple[str, bytes]]


@pytest.fixture
def trees(tmp_path: Path) -> GitTrees:
    return GitTrees(tmp_path / "trees", covers=everywhere, clock=ManualClock())


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "work")


async def changes(trees: GitTrees, directory: Path, session: str = SESSION) -> list[TreeChange]:
    async with trees.compare(session, str(directory)) as comparison:
        return list(comparison.changes)


async def told(trees: GitTrees, directory: Path) -> Told:
    return [(change.status.value, change.path) for change in await changes(trees, directory)]


async def reason(trees: GitTrees, directory: Path) -> NoTree:
    with pytest.raises(TreeUnavailable) as none:
        await changes(trees, directory)
    return none.value.reason


class TestWhatIsTold:
    async def test_only_what_changed_since_then_uncommitted_work_included(self, trees: GitTrees, repo: Repo) -> None:
        repo.write("committed", "1\n", commit=True)
        repo.write("committed", "edited before\n")
        repo.write("untracked", "before\n")
        await trees.remember(SESSION, str(repo.root))
        assert await told(trees, repo.root) == []

        repo.write("committed", "edited since\n")
        repo.write("new/file", "x\n")
        (repo.root / "untracked").unlink()

        assert await told(trees, repo.root) == [
            ("modified", b"committed"),
            ("added", b"new/file"),
            ("deleted", b"untracked"),
        ]

    async def test_commits_made_meanwhile_hide_nothing(self, trees: GitTrees, repo: Repo) -> None:
        repo.write("a", "1\n", commit=True)
        await trees.remember(SESSION, str(repo.root))
        repo.write("a", "2\n", commit=True)
        assert await told(trees, repo.root) == [("modified", b"a")]

    async def test_it_is_remembered_once_and_survives_a_restart(
        self, trees: GitTrees, repo: Repo, tmp_path: Path
    ) -> None:
        repo.write("a", "1\n")
        await trees.remember(SESSION, str(repo.root))
        repo.write("a", "2\n")
        another = GitTrees(tmp_path / "trees", covers=everywhere, clock=ManualClock())
        await another.remember(SESSION, str(repo.root))
        assert await told(another, repo.root) == [("modified", b"a")]

    async def test_a_repository_without_a_commit(self, trees: GitTrees, repo: Repo) -> None:
        await trees.remember(SESSION, str(repo.root))
        repo.write("first", "1\n")
        assert await told(trees, repo.root) == [("added", b"first")]

    async def test_ignored_files_are_not_looked_at_but_tracked_ones_are(self, trees: GitTrees, repo: Repo) -> None:
        repo.write("kept.log", "1\n", commit=True)
        repo.write(".gitignore", "*.log\n/build/\n", commit=True)
        (repo.root / ".git" / "info").mkdir(exist_ok=True)
        (repo.root / ".git" / "info" / "exclude").write_text("private\n")
        await trees.remember(SESSION, str(repo.root))
        for name in ("other.log", "build/x", "private", "kept.log"):
            repo.write(name, "2\n")
        assert await told(trees, repo.root) == [("modified", b"kept.log")]

    async def test_a_file_that_became_ignored_is_no_longer_told(self, trees: GitTrees, repo: Repo) -> None:
        repo.write("scratch", "1\n")
        await trees.remember(SESSION, str(repo.root))
        repo.write(".gitignore", "scratch\n")
        assert await told(trees, repo.root) == [("added", b".gitignore"), ("deleted", b"scratch")]

    async def test_renames_programs_links_and_kinds(self, trees: GitTrees, repo: Repo) -> None:
        repo.write("long", "line\n" * 40)
        repo.write("tool", "#!/bin/sh\n")
        repo.write("becomes-a-link", "x\n")
        await trees.remember(SESSION, str(repo.root))
        (repo.root / "long").rename(repo.root / "renamed")
        (repo.root / "tool").chmod(0o755)
        (repo.root / "becomes-a-link").unlink()
        (repo.root / "becomes-a-link").symlink_to("/etc/passwd")
        (repo.root / "dangling").symlink_to("nowhere")

        found = {change.path: change for change in await changes(trees, repo.root)}
        assert found[b"renamed"].old_path == b"long" and found[b"renamed"].status is ChangeStatus.RENAMED
        assert found[b"tool"].now is not None and found[b"tool"].now.mode == "100755"
        assert found[b"becomes-a-link"].now is not None and found[b"becomes-a-link"].now.mode == "120000"
        assert found[b"dangling"].status is ChangeStatus.ADDED

    # faults: B2
    @pytest.mark.parametrize(
        "name",
        [
            "a b",
            "line\nbreak",
            'quo"te',
            "back\\slash",
            "中文 名",
            b"\xff\xfe",
            "-rf",
            ":(glob)*",
            "*",
            "$(touch canary)",
        ],
    )
    async def test_names_of_every_kind(self, trees: GitTrees, repo: Repo, name: str | bytes) -> None:
        repo.write(name, "1\n", commit=True)
        await trees.remember(SESSION, str(repo.root))
        repo.write(name, "2\n")
        [change] = await changes(trees, repo.root)
        assert change.path == os.fsencode(name)
        async with trees.compare(SESSION, str(repo.root)) as comparison:
            assert b"-1\n+2\n" in await comparison.patch(comparison.changes, 10_000)
            await comparison.restore(change)
        assert await told(trees, repo.root) == []
        assert not (repo.root / "canary").exists()

    async def test_line_ends_are_kept_whatever_the_repository_says_of_them(self, trees: GitTrees, repo: Repo) -> None:
        repo.write(".gitattributes", "* text=auto eol=lf\n*.u16 working-tree-encoding=UTF-16\n", commit=True)
        file = repo.write("dos.txt", b"a\r\nb\r\n", commit=True)
        repo.write("w.u16", "no utf-16")
        await trees.remember(SESSION, str(repo.root))
        file.write_bytes(b"changed\n")
        [change] = await changes(trees, repo.root)
        async with trees.compare(SESSION, str(repo.root)) as comparison:
            await comparison.restore(change)
        assert file.read_bytes() == b"a\r\nb\r\n"

    async def test_large_files_are_told_by_size_and_time(self, trees: GitTrees, repo: Repo) -> None:
        large = repo.write("large", b"")
        os.truncate(large, 17 * 1024 * 1024)
        await trees.remember(SESSION, str(repo.root))
        assert await told(trees, repo.root) == []
        os.truncate(large, 18 * 1024 * 1024)
        [change] = await changes(trees, repo.root)
        assert (change.status, change.large, change.now) == (ChangeStatus.MODIFIED, True, None)

    async def test_ten_thousand_files(self, repo: Repo, tmp_path: Path) -> None:
        clock = ManualClock()
        trees = GitTrees(tmp_path / "trees", covers=everywhere, clock=clock, remember_within_s=120)
        for number in range(10_000):
            repo.write(f"{number % 100}/{number}", f"{number}\n")
        await trees.remember(SESSION, str(repo.root))
        repo.write("7/107", "changed\n")
        assert await told(trees, repo.root) == [("modified", b"7/107")]


class TestWhereARepositoryLies:
    async def test_a_directory_below_its_root_is_seen_alone(self, trees: GitTrees, repo: Repo) -> None:
        repo.write(".gitignore", "node_modules\n", commit=True)
        inside = repo.root / "web"
        repo.write("web/a", "1\n", commit=True)
        await trees.remember(SESSION, str(inside))
        repo.write("web/node_modules/x", "1\n")
        repo.write("web/b", "1\n")
        repo.write("elsewhere", "1\n")
        assert await told(trees, inside) == [("added", b"b")]
        async with trees.compare(SESSION, str(inside)) as comparison:
            assert b"diff --git a/b b/b\n" in await comparison.patch(comparison.changes, 10_000)
            await comparison.restore(comparison.changes[0])
        assert not (inside / "b").exists()

    async def test_a_worktree(self, trees: GitTrees, repo: Repo, tmp_path: Path) -> None:
        repo.write("a", "1\n", commit=True)
        repo.git("worktree", "add", "-q", str(tmp_path / "other"))
        tree = Repo(tmp_path / "other", init=False)
        assert (tree.root / ".git").is_file()
        await trees.remember(SESSION, str(tree.root))
        tree.write("a", "2\n")
        assert await told(trees, tree.root) == [("modified", b"a")]

    async def test_a_submodule_is_told_by_its_commit_and_is_a_repository_of_its_own(
        self, trees: GitTrees, repo: Repo, tmp_path: Path
    ) -> None:
        library = Repo(tmp_path / "library")
        library.write("l", "1\n", commit=True)
        repo.git("submodule", "add", "-q", str(library.root), "lib")
        repo.commit()
        lib = Repo(repo.root / "lib", init=False)
        await trees.remember(SESSION, str(repo.root))
        await trees.remember("inside", str(lib.root))
        lib.write("l", "2\n", commit=True)

        [change] = await changes(trees, repo.root)
        assert change.path == b"lib" and change.now is not None and change.now.is_repository
        assert [each.path for each in await changes(trees, lib.root, "inside")] == [b"l"]

    async def test_a_clone_that_was_made_meanwhile(self, trees: GitTrees, repo: Repo) -> None:
        await trees.remember(SESSION, str(repo.root))
        Repo(repo.root / "empty")
        Repo(repo.root / "cloned").write("x", "1\n", commit=True)
        assert await told(trees, repo.root) == [("added", b"cloned")]

    async def test_no_repository_and_none_yet(self, trees: GitTrees, tmp_path: Path) -> None:
        bare = tmp_path / "plain"
        bare.mkdir()
        assert await reason(trees, bare) is NoTree.NOT_RECORDED
        await trees.remember(SESSION, str(bare))
        assert await reason(trees, bare) is NoTree.NOT_A_REPOSITORY
        Repo(bare)
        assert await reason(trees, bare) is NoTree.NOT_A_REPOSITORY

    @pytest.mark.parametrize("pointer", ["gitdir: /nowhere\n", "gitdir: \n", "", "gitdir: /etc\n", "\xff"])
    async def test_a_file_in_the_place_of_a_repository_that_leads_nowhere(
        self, trees: GitTrees, tmp_path: Path, pointer: str
    ) -> None:
        directory = tmp_path / "odd"
        directory.mkdir()
        (directory / ".git").write_text(pointer)
        await trees.remember(SESSION, str(directory))
        assert await reason(trees, directory) is NoTree.NOT_A_REPOSITORY

    # faults: B5
    async def test_pipes_and_unreadable_things_hold_nobody_up(self, trees: GitTrees, repo: Repo) -> None:
        os.mkfifo(repo.root / "pipe")
        await trees.remember(SESSION, str(repo.root))
        os.mkfifo(repo.root / "another")
        repo.write("a", "1\n")
        assert await told(trees, repo.root) == [("added", b"a")]

    async def test_a_damaged_index_is_done_without(self, trees: GitTrees, repo: Repo) -> None:
        repo.write("a", "1\n", commit=True)
        (repo.root / ".git" / "index").write_bytes(b"DIRC garbage")
        await trees.remember(SESSION, str(repo.root))
        repo.write("a", "2\n")
        assert await told(trees, repo.root) == [("modified", b"a")]

    async def test_what_the_repository_lost_cannot_be_told(self, trees: GitTrees, repo: Repo) -> None:
        repo.write("a", "1\n", commit=True)
        await trees.remember(SESSION, str(repo.root))
        repo.write("a", "2\n")
        for object_ in (repo.root / ".git" / "objects").glob("??/*"):
            object_.unlink()
        assert await reason(trees, repo.root) is NoTree.LOST

    async def test_what_it_loses_while_it_is_looked_at_cannot_be_put_back(self, trees: GitTrees, repo: Repo) -> None:
        repo.write("a", "1\n", commit=True)
        await trees.remember(SESSION, str(repo.root))
        repo.write("a", "2\n")
        async with trees.compare(SESSION, str(repo.root)) as comparison:
            for object_ in (repo.root / ".git" / "objects").glob("??/*"):
                object_.unlink()
            with pytest.raises(TreeUnavailable):
                await comparison.patch(comparison.changes, 1000)
            with pytest.raises(NotRestored, match="no longer"):
                await comparison.restore(comparison.changes[0])

    async def test_objects_that_the_repository_lost_meanwhile(self, trees: GitTrees, repo: Repo) -> None:
        repo.write("a", "1\n", commit=True)
        await trees.remember("earlier", str(repo.root))
        for object_ in (repo.root / ".git" / "objects").glob("??/*"):
            object_.unlink()
        await trees.remember(SESSION, str(repo.root))
        repo.write("a", "2\n")
        assert await told(trees, repo.root) == [("modified", b"a")]
        assert [change.path for change in await changes(trees, repo.root, "earlier")] == [b"a"]


class TestWhatMayNotBeLookedAt:
    # faults: B10
    async def test_directories_that_are_shut_are_neither_kept_nor_shown(self, repo: Repo, tmp_path: Path) -> None:
        guard = DirectoryGuard(allowed=(repo.root,))
        trees = GitTrees(tmp_path / "trees", covers=guard.covers, clock=ManualClock())
        for name in ("a", ".ssh/key", "deep/.aws/secret"):
            repo.write(name, "1\n", commit=True)
        await trees.remember(SESSION, str(repo.root))
        for name in ("a", ".ssh/key", "deep/.aws/secret", ".gnupg/new"):
            repo.write(name, "2\n")
        assert await told(trees, repo.root) == [("modified", b"a")]


class TestTheRepositoryItself:
    async def test_it_is_not_written_to(self, trees: GitTrees, repo: Repo) -> None:
        repo.write("a", "1\n", commit=True)
        repo.write("b", "1\n")
        before = repo.everything()
        await trees.remember(SESSION, str(repo.root))
        repo.write("a", "2\n")
        async with trees.compare(SESSION, str(repo.root)) as comparison:
            await comparison.restore(comparison.changes[0])
        assert repo.everything() == before

    # faults: B10 C1 C3
    async def test_nothing_of_it_runs(self, trees: GitTrees, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
        canary = repo.root.parent / "canary"
        program = repo.write("program", f"#!/bin/sh\necho ran >> {canary}\ncat\n")
        program.chmod(0o755)
        repo.write("a.txt", "1\n", commit=True)
        for hook in ("post-index-change", "pre-commit", "post-checkout", "fsmonitor-watchman"):
            (repo.root / ".git" / "hooks" / hook).write_bytes(program.read_bytes())
            (repo.root / ".git" / "hooks" / hook).chmod(0o755)
        for key in (
            *("core.fsmonitor", "filter.x.clean", "filter.x.smudge", "filter.x.process", "diff.x.textconv"),
            *("diff.x.command", "diff.external", "core.pager", "core.sshCommand", "core.askPass", "core.editor"),
        ):
            repo.git("config", key, str(program))
        repo.git("config", "filter.x.required", "true")
        repo.git("config", "core.worktree", "/")
        (repo.root / ".git" / "info" / "attributes").write_text("* filter=x diff=x\n")
        repo.write(".gitattributes", "* filter=x diff=x merge=x\n")
        monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(program))
        monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
        monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.fsmonitor")
        monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(program))

        await trees.remember(SESSION, str(repo.root))
        repo.write("a.txt", "2\n")
        async with trees.compare(SESSION, str(repo.root)) as comparison:
            [change] = comparison.changes
            assert b"+2" in await comparison.patch(comparison.changes, 10_000)
            await comparison.restore(change)

        assert not canary.exists()
        assert (repo.root / "a.txt").read_text() == "1\n"

    async def test_the_canary_would_sing(self, repo: Repo) -> None:
        """The same filter, with git as people call it."""
        canary = repo.root.parent / "canary"
        program = repo.write("program", f"#!/bin/sh\necho ran >> {canary}\ncat\n")
        program.chmod(0o755)
        repo.git("config", "filter.x.clean", str(program))
        repo.write(".gitattributes", "* filter=x\n")
        repo.git("add", "-A")
        assert canary.exists()


class TestBounds:
    async def test_what_takes_too_long_is_given_up_and_goes_on_where_it_was(self, repo: Repo, tmp_path: Path) -> None:
        repo.write("a", "1\n")
        hurried = GitTrees(tmp_path / "trees", covers=everywhere, clock=ManualClock(), remember_within_s=0)
        await hurried.remember(SESSION, str(repo.root))
        assert await reason(hurried, repo.root) is NoTree.TOO_SLOW

    async def test_without_git(
        self, trees: GitTrees, repo: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        await trees.remember(SESSION, str(repo.root))
        assert await reason(trees, repo.root) is NoTree.NO_GIT

    async def test_what_is_forgotten_leaves_nothing(self, trees: GitTrees, repo: Repo, tmp_path: Path) -> None:
        await trees.remember(SESSION, str(repo.root))
        await trees.remember("another", str(repo.root))
        await trees.forget(SESSION)
        assert await reason(trees, repo.root) is NoTree.NOT_RECORDED
        assert await changes(trees, repo.root, "another") == []
        await trees.forget("another")
        assert list((tmp_path / "trees").iterdir()) == []

    async def test_looking_leaves_nothing_behind(self, trees: GitTrees, repo: Repo, tmp_path: Path) -> None:
        await trees.remember(SESSION, str(repo.root))
        before = sorted((tmp_path / "trees").rglob("*"))
        repo.write("a", "1\n" * 1000)
        await changes(trees, repo.root)
        assert sorted((tmp_path / "trees").rglob("*")) == before
