"""The state of a directory as a tree: what is committed, changed and untracked, byte for byte as it lies there."""

import asyncio
import os
import stat
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from glasshouse.adapters.git.program import Git, GitFailed
from glasshouse.adapters.git.reasons import TooManyFiles
from glasshouse.adapters.git.repository import Repository
from glasshouse.claude_home.files import read_regular

# What is larger is told by its size and time, and its content is not kept.
LARGE = 16 * 1024 * 1024
MOST_FILES = 200_000
# So many at a time, so that what is done stays done when time runs out.
_BATCH = 5000

_INDEX_LIMIT = 512 * 1024 * 1024
_EXCLUDE_LIMIT = 1024 * 1024
_CONFIG = """\
[core]
\trepositoryformatversion = 0
\tbare = false
\tfileMode = true
\tsymlinks = true
\tautocrlf = false
\tsafecrlf = false
\tfsmonitor = false
\tuntrackedCache = false
\tprotectNTFS = false
\tprotectHFS = false
\tquotePath = false
\tlooseCompression = 1
\thooksPath = /dev/null
\tattributesFile = /dev/null
[gc]
\tauto = 0
"""
# Stronger than any `.gitattributes`: content as it is, no conversion, no filter.
_ATTRIBUTES = "* -text !eol -ident -filter !working-tree-encoding !diff !merge\n"


@dataclass(frozen=True, slots=True)
class Large:
    size: int
    modified_ns: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    tree: str
    large: Mapping[bytes, Large] = field(default_factory=dict)


def make_ready(directory: Path, repository: Repository) -> None:
    """A git directory of ours, in the place of the repository's own. Blocking."""
    for name in ("objects", "refs", "info", "bases"):
        (directory / name).mkdir(mode=0o700, parents=True, exist_ok=True)
    (directory / "HEAD").write_text("ref: refs/heads/none\n")
    (directory / "config").write_text(_CONFIG)
    (directory / "info" / "attributes").write_text(_ATTRIBUTES)
    # What a repository leaves out beside its `.gitignore` files.
    (directory / "info" / "exclude").write_bytes(read_regular(repository.exclude, _EXCLUDE_LIMIT) or b"")


async def take(git: Git, repository: Repository, working_dir: Path, covers: Callable[[Path], bool]) -> Snapshot:
    """Raises TooManyFiles, GitFailed, GitMissing, TooMuch."""
    scope = scope_of(repository.root, working_dir)
    names = await _listed(git, repository, scope)
    if len(names) > MOST_FILES:
        raise TooManyFiles
    found = await asyncio.to_thread(_sorted_out, repository.root, names, covers)
    try:
        return Snapshot(await _tree(git, found), found.large)
    except GitFailed:
        # What the index of the last time names may be gone, with the repository's own objects.
        await asyncio.to_thread(git.index.unlink, missing_ok=True)
        return Snapshot(await _tree(git, found), found.large)


@dataclass(frozen=True, slots=True)
class _Found:
    files: Sequence[bytes]
    repositories: Sequence[bytes]
    large: Mapping[bytes, Large]


def scope_of(root: Path, working_dir: Path) -> bytes:
    """The session's directory as git names it; nothing beside it is looked at."""
    return os.fsencode(working_dir.relative_to(root))


async def _listed(git: Git, repository: Repository, scope: bytes) -> Sequence[bytes]:
    """What is tracked, even if ignored, and what is neither tracked nor ignored."""
    copy = git.index.with_name(f"{git.index.name}.theirs")
    look = replace(git, index=copy)
    arguments = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", scope or b".")
    try:
        await asyncio.to_thread(_copy_index, repository.index, copy)
        try:
            listed = await look(*arguments)
        except GitFailed:
            # An index in parts, or damaged: then what is ignored counts as untracked, even if it is tracked.
            copy.unlink(missing_ok=True)
            listed = await look(*arguments)
    finally:
        copy.unlink(missing_ok=True)
    return sorted({name for name in listed.split(b"\0") if name})


def _copy_index(theirs: Path, copy: Path) -> None:
    content = read_regular(theirs, _INDEX_LIMIT)
    if content is not None:
        copy.write_bytes(content)


def _sorted_out(root: Path, names: Sequence[bytes], covers: Callable[[Path], bool]) -> _Found:
    files: list[bytes] = []
    repositories: list[bytes] = []
    large: dict[bytes, Large] = {}
    top = os.fsencode(root) + b"/"
    may: dict[bytes, bool] = {}
    for name in names:
        folder = name.rstrip(b"/").rpartition(b"/")[0]
        if folder not in may:
            may[folder] = covers(root / os.fsdecode(folder))
        if not may[folder]:
            continue
        path = top + name
        try:
            seen = os.lstat(path)
        except OSError:
            continue  # deleted, and still tracked
        if stat.S_ISDIR(seen.st_mode):
            repositories.append(name.rstrip(b"/"))
        elif stat.S_ISLNK(seen.st_mode):
            files.append(name)
        elif stat.S_ISREG(seen.st_mode) and os.access(path, os.R_OK):
            if seen.st_size > LARGE:
                large[name] = Large(seen.st_size, seen.st_mtime_ns)
            else:
                files.append(name)
    return _Found(files, repositories, large)


async def _tree(git: Git, found: _Found) -> str:
    known = {name for name in (await git("ls-files", "-z")).split(b"\0") if name}
    if gone := known - {*found.files, *found.repositories}:
        await git("update-index", "--force-remove", "-z", "--stdin", given=_lines(gone))
    for start in range(0, len(found.files), _BATCH):
        batch = found.files[start : start + _BATCH]
        await git("update-index", "--add", "--remove", "--replace", "-z", "--stdin", given=_lines(batch))
    for name in found.repositories:
        # One without a commit has nothing to be told by.
        try:
            await git("update-index", "--add", "--replace", "-z", "--stdin", given=_lines([name]))
        except GitFailed:
            continue
    return (await git("write-tree")).decode().strip()


def _lines(names: Sequence[bytes] | set[bytes]) -> bytes:
    return b"".join(name + b"\0" for name in names)
