"""One file put back as it was: beside its place and then into it, never through a link, never over what is newer."""

import asyncio
import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from glasshouse.contract.phrase import Phrase
from glasshouse.core.ports import ChangedMeanwhile, NotRestored, TreeChange, TreeFile

DAMAGED = Phrase("它原来的内容已损坏", "what it was is damaged")
NO_NAME = Phrase("它的名称不是普通文件名", "it has no plain name")
HARD_LINK = Phrase("它在别处还有另一个名称（硬链接）", "it has another name elsewhere (a hard link)")

WORDS = Phrase("{words}", "{words}")

_LINK = "120000"
_PROGRAM = "100755"
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ_LIMIT = 64 * 1024 * 1024


async def restore(working_dir: Path, change: TreeChange, content: bytes | None) -> None:
    """`content` is that of before. Raises ChangedMeanwhile, NotRestored."""
    await asyncio.to_thread(_restore, working_dir, change, content)


def _restore(working_dir: Path, change: TreeChange, content: bytes | None) -> None:
    try:
        if change.before is not None and content is not None:
            if _hash_of(content) != change.before.hash:
                raise NotRestored(DAMAGED)
            old = change.old_path or change.path
            _write(working_dir, old, change.before, content, None if change.old_path else change.now)
        if change.now is not None and (change.before is None or change.old_path):
            _remove(working_dir, change.path, change.now)
    except OSError as problem:
        words = problem.strerror or str(problem)
        raise NotRestored(WORDS, words=words) from None


def _write(working_dir: Path, path: bytes, wanted: TreeFile, content: bytes, now: TreeFile | None) -> None:
    """In place of what is there `now`; None: of nothing."""
    with _folder_of(working_dir, path, make=True) as (folder, name):
        present = _expected(folder, name, now)
        beside = f".glasshouse-{uuid4().hex}".encode()
        try:
            if wanted.mode == _LINK:
                os.symlink(content, beside, dir_fd=folder)
            else:
                _write_beside(folder, beside, content, _permissions(present, wanted))
            if now is None:
                # Fails where something has come into being meanwhile.
                os.link(beside, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
            else:
                os.rename(beside, name, src_dir_fd=folder, dst_dir_fd=folder)
        except FileExistsError:
            raise ChangedMeanwhile from None
        finally:
            with suppress(FileNotFoundError):
                os.unlink(beside, dir_fd=folder)
        os.fsync(folder)


def _remove(working_dir: Path, path: bytes, now: TreeFile) -> None:
    with _folder_of(working_dir, path, make=False) as (folder, name):
        _expected(folder, name, now)
        os.unlink(name, dir_fd=folder)
        os.fsync(folder)


@contextmanager
def _folder_of(working_dir: Path, path: bytes, *, make: bool) -> Iterator[tuple[int, bytes]]:
    """The directory that holds it, opened name by name: a link on the way is an error."""
    *folders, name = path.split(b"/")
    if name in (b"", b".", b"..") or any(part in (b"", b".", b"..") for part in folders):
        raise NotRestored(NO_NAME)
    opened = os.open(working_dir, _DIRECTORY)
    try:
        for part in folders:
            if make:
                with suppress(FileExistsError):
                    os.mkdir(part, dir_fd=opened)
            try:
                below = os.open(part, _DIRECTORY, dir_fd=opened)
            except FileNotFoundError:
                raise ChangedMeanwhile from None
            os.close(opened)
            opened = below
        yield opened, name
    finally:
        os.close(opened)


def _expected(folder: int, name: bytes, wanted: TreeFile | None) -> os.stat_result | None:
    """What is there, if it is that. Raises ChangedMeanwhile, NotRestored."""
    try:
        seen = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        if wanted is None:
            return None
        raise ChangedMeanwhile from None
    if wanted is None or stat.S_ISLNK(seen.st_mode) != (wanted.mode == _LINK):
        raise ChangedMeanwhile
    if stat.S_ISLNK(seen.st_mode):
        content = os.readlink(name, dir_fd=folder)
    elif not stat.S_ISREG(seen.st_mode):
        raise ChangedMeanwhile
    elif seen.st_nlink > 1:
        raise NotRestored(HARD_LINK)
    else:
        content = _read(folder, name)
    if _hash_of(content) != wanted.hash:
        raise ChangedMeanwhile
    return seen


def _read(folder: int, name: bytes) -> bytes:
    descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ChangedMeanwhile
        return file.read(_READ_LIMIT)


def _write_beside(folder: int, name: bytes, content: bytes, permissions: int | None) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(name, flags, 0o666, dir_fd=folder), "wb") as file:
        if permissions is not None:
            os.fchmod(file.fileno(), permissions)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _permissions(present: os.stat_result | None, wanted: TreeFile) -> int | None:
    """A tree knows of permissions only whether it is a program; the rest is as it is now."""
    may_run = wanted.mode == _PROGRAM
    if present is None or stat.S_ISLNK(present.st_mode):
        return 0o755 if may_run else None
    now = stat.S_IMODE(present.st_mode)
    return now | (now & 0o444) >> 2 if may_run else now & ~0o111


def _hash_of(content: bytes) -> str:
    """As git names it."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
