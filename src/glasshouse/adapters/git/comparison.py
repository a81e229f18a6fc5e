"""A remembered tree and the directory as it is now: which files differ, and how."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from glasshouse.adapters.git.program import Git, GitFailed, TooMuch
from glasshouse.adapters.git.reasons import told_why
from glasshouse.adapters.git.restore import restore
from glasshouse.adapters.git.snapshot import Large, Snapshot
from glasshouse.contract.phrase import Phrase
from glasshouse.core.ports import (
    ChangedMeanwhile,
    ChangeStatus,
    NoTree,
    NotRestored,
    TreeChange,
    TreeFile,
    TreeUnavailable,
)

_NO_PROGRAMS = ("--no-ext-diff", "--no-textconv", "--no-color")
# Above so many new and gone files renames are no longer looked for.
_RENAMES = "-l1000"
_STATUS = {
    "A": ChangeStatus.ADDED,
    "D": ChangeStatus.DELETED,
    "M": ChangeStatus.MODIFIED,
    "T": ChangeStatus.MODIFIED,
    "R": ChangeStatus.RENAMED,
}
OWN_REPOSITORY = Phrase("它自己是一个仓库", "it is a repository of its own")
TOO_LARGE = Phrase("它太大，内容没有保留", "it is too large for its content to be kept")
LOST = Phrase("仓库里已没有它原来的内容", "the repository no longer has what it was")
_PATCH_WITHIN_S = 30.0
_BLOB_LIMIT = 32 * 1024 * 1024


class GitComparison:
    """The port `Comparison`. Names are relative to the session's directory, `scope` below the repository's root."""

    def __init__(
        self, git: Git, base: Snapshot, now: Snapshot, *, working_dir: Path, scope: bytes, recorded_at: str
    ) -> None:
        self.recorded_at = recorded_at
        self.changes: Sequence[TreeChange] = ()
        self._git = git
        self._base = base
        self._now = now
        self._working_dir = working_dir
        self._scope = scope + b"/" if scope not in (b"", b".") else b""

    async def look(self) -> None:
        try:
            said = await self._git(*self._diff("--raw", "--numstat", "--no-abbrev"), self._base.tree, self._now.tree)
        except GitFailed:
            raise TreeUnavailable(NoTree.LOST) from None
        changes = [*_read(said), *_large(self._base.large, self._now.large)]
        relative = (_relative(change, len(self._scope)) for change in changes)
        self.changes = sorted(relative, key=lambda change: change.path)

    async def patch(self, changes: Sequence[TreeChange], limit: int) -> bytes:
        names = {self._scope + name for change in changes for name in (change.path, change.old_path) if name}
        arguments = self._diff("-p", "--full-index", "--binary", f"--relative={_text(self._scope)}")
        trees = (self._base.tree, self._now.tree)
        with told_why():
            async with asyncio.timeout(_PATCH_WITHIN_S):
                return await self._git(*arguments, *trees, "--", *sorted(names), limit=limit, cut=True)

    async def changed_at(self, change: TreeChange) -> float:
        path = self._working_dir / change.path.decode(errors="surrogateescape")
        try:
            seen = await asyncio.to_thread(path.lstat)
        except OSError:
            raise ChangedMeanwhile from None
        return seen.st_ctime

    async def restore(self, change: TreeChange) -> None:
        """Raises NotRestored."""
        for side in (change.before, change.now):
            if side is not None and side.is_repository:
                raise NotRestored(OWN_REPOSITORY)
        if change.large:
            raise NotRestored(TOO_LARGE)
        content = None
        if change.before is not None:
            try:
                content = await self._git("cat-file", "blob", change.before.hash, limit=_BLOB_LIMIT)
            except (GitFailed, TooMuch):
                raise NotRestored(LOST) from None
        await restore(self._working_dir, change, content)

    def _diff(self, *form: str) -> tuple[str, ...]:
        return ("diff-tree", "-r", "-z", "-M", _RENAMES, *_NO_PROGRAMS, *form)


def _read(said: bytes) -> Iterator[TreeChange]:
    """`--raw --numstat -z`: first all entries, each with its names, then all counts, in the same order."""
    parts = said.split(b"\0")
    entries: list[tuple[list[str], bytes, bytes | None]] = []
    place = 0
    while place < len(parts) and parts[place].startswith(b":"):
        fields = parts[place][1:].decode().split(" ")
        renamed = fields[4][0] == "R"
        old = parts[place + 1] if renamed else None
        entries.append((fields, parts[place + 2] if renamed else parts[place + 1], old))
        place += 3 if renamed else 2
    for fields, path, old in entries:
        added, deleted, name = parts[place].split(b"\t", 2)
        place += 1 if name else 3
        before, now = _side(fields[0], fields[2]), _side(fields[1], fields[3])
        status = _STATUS.get(fields[4][0], ChangeStatus.MODIFIED)
        yield TreeChange(path, old, status, before, now, _count(added), _count(deleted))


def _side(mode: str, name: str) -> TreeFile | None:
    return None if mode == "000000" else TreeFile(mode, name)


def _count(field: bytes) -> int | None:
    return None if field == b"-" else int(field)


def _large(before: Mapping[bytes, Large], now: Mapping[bytes, Large]) -> Iterator[TreeChange]:
    for path in before.keys() | now.keys():
        was, is_ = before.get(path), now.get(path)
        if was != is_:
            yield TreeChange(path, None, _status_of_large(was, is_), None, None, None, None, large=True)


def _status_of_large(was: Large | None, is_: Large | None) -> ChangeStatus:
    if was is None:
        return ChangeStatus.ADDED
    return ChangeStatus.DELETED if is_ is None else ChangeStatus.MODIFIED


def _relative(change: TreeChange, skipped: int) -> TreeChange:
    old = change.old_path
    return TreeChange(
        change.path[skipped:],
        None if old is None else old[skipped:],
        change.status,
        change.before,
        change.now,
        change.additions,
        change.deletions,
        change.large,
    )


def _text(name: bytes) -> str:
    return name.decode(errors="surrogateescape")
