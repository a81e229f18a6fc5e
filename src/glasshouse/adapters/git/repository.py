"""Where a directory's repository keeps its things: found and read without git, for git would believe what it says."""

import re
from dataclasses import dataclass
from pathlib import Path

from glasshouse.claude_home.files import read_regular, repository_root

_POINTER_LIMIT = 8192
_CONFIG_LIMIT = 1024 * 1024
_OTHER_HASH = re.compile(rb"objectformat\s*=\s*\"?sha256", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Repository:
    """`objects` None: there are none, or they are named by another hash than ours."""

    root: Path
    index: Path
    exclude: Path
    objects: Path | None


def repository_of(working_dir: Path) -> Repository | None:
    """The one that the (resolved) directory lies in. Blocking."""
    root = repository_root(working_dir)
    own = None if root is None else _own_directory(root / ".git")
    if root is None or own is None:
        return None
    shared = _pointed_at(own / "commondir", own) or own
    config = read_regular(shared / "config", _CONFIG_LIMIT) or b""
    objects = shared / "objects"
    usable = objects.is_dir() and not _OTHER_HASH.search(config)
    return Repository(root, own / "index", shared / "info" / "exclude", objects if usable else None)


def _own_directory(path: Path) -> Path | None:
    """`.git` is a directory, or a file that says where it is: of a worktree, of a submodule."""
    if path.is_dir():
        return path if (path / "HEAD").exists() else None
    found = _pointed_at(path, path.parent, prefix=b"gitdir:")
    return found if found is not None and (found / "HEAD").exists() else None


def _pointed_at(file: Path, base: Path, *, prefix: bytes = b"") -> Path | None:
    content = read_regular(file, _POINTER_LIMIT)
    if content is None or not content.startswith(prefix):
        return None
    name = content.removeprefix(prefix).strip(b" \r\n")
    if not name or b"\0" in name or b"\n" in name:
        return None
    path = base / name.decode(errors="surrogateescape")
    return path if path.is_dir() else None
