"""Reading what others wrote: bounded, regular files only, and never out of the directory that was meant."""

import json
import os
import stat
from pathlib import Path
from typing import Any, BinaryIO

import orjson

_JSON_LIMIT = 32 * 1024 * 1024


def open_regular(path: Path | str, *, follow: bool = True) -> BinaryIO | None:
    """A regular file, opened to be read; None for whatever else is there, or nothing."""
    # Without NONBLOCK the opening of a FIFO would wait for its writer.
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
    try:
        descriptor = os.open(path, flags)
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return None
    return os.fdopen(descriptor, "rb")


def read_regular(path: Path, limit: int, *, follow: bool = True) -> bytes | None:
    """The first `limit` bytes of a regular file."""
    file = open_regular(path, follow=follow)
    if file is None:
        return None
    with file:
        try:
            return file.read(limit)
        except OSError:
            return None


def parse_object(text: bytes) -> dict[str, Any]:
    """What JSON text holds, if that is an object; else an empty one."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        # Lone surrogates and long integers are refused above, and are no damage.
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return {}
    return value if isinstance(value, dict) else {}


def read_json_object(path: Path) -> dict[str, Any]:
    return parse_object(read_regular(path, _JSON_LIMIT) or b"")


def resolved_inside(path: Path, directory: Path) -> Path | None:
    """The path with its links resolved, unless they lead out of the (resolved) directory."""
    try:
        real = path.resolve(strict=True)
    except (OSError, RuntimeError):
        return None
    return real if real.is_relative_to(directory) else None


def repository_root(working_dir: Path) -> Path | None:
    """The nearest directory, from here upwards, that is a repository's or a worktree's root."""
    return next((path for path in (working_dir, *working_dir.parents) if (path / ".git").exists()), None)


def objects_in(value: object) -> dict[str, dict[str, Any]]:
    """The entries of a JSON object that are objects themselves."""
    if not isinstance(value, dict):
        return {}
    return {name: part for name, part in value.items() if isinstance(part, dict)}
