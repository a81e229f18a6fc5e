"""Which directories may be worked in: inside the allowed ones, and never in what is sensitive.

A sensitive directory is shut with all below it (`/` shuts only itself), unless the operator named one at or below it:
that opens the named one and what is below, but never another sensitive one further down.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from glasshouse.contract.errors import WorkingDirInvalid

_ROOT = Path("/")
_SENSITIVE = tuple(
    Path(path)
    for path in (
        *("/etc", "/root", "/proc", "/sys", "/boot", "/dev", "/run", "/var/run", "/var/lib"),
        *("/usr", "/bin", "/sbin", "/lib"),
    )
)
_SHUT_NAMES = frozenset({".ssh", ".gnupg", ".aws", ".kube", ".docker"})


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


@dataclass(frozen=True)
class DirectoryGuard:
    """`allowed` bounds everything; `named` are those that the operator spelled out; `shut` are our own directory and
    Claude Code's, `open` exceptions below them."""

    allowed: tuple[Path, ...]
    named: tuple[Path, ...] = ()
    shut: tuple[Path, ...] = ()
    open: tuple[Path, ...] = ()

    def check(self, text: str) -> Path:
        """The directory, links resolved. Raises WorkingDirInvalid, with no word on why."""
        if "\0" in text or not text.startswith("/"):
            raise WorkingDirInvalid
        try:
            path = Path(os.path.realpath(text, strict=True))
            usable = path.is_dir() and os.access(path, os.R_OK | os.X_OK)
        except (OSError, ValueError):
            raise WorkingDirInvalid from None
        if not usable or not self.covers(path):
            raise WorkingDirInvalid
        return path

    def covers(self, path: Path) -> bool:
        """Whether a resolved path (which need not exist) lies where work is allowed."""
        if not any(path.is_relative_to(_real(allowed)) for allowed in self.allowed):
            return False
        named = [_real(directory) for directory in (*self.named, *self.open)]
        return not any(_is_shut(barred, path, named) for barred in self._barred(path))

    def _barred(self, path: Path) -> Iterable[Path]:
        """The sensitive directories that this path is or lies in."""
        if path == _ROOT:
            yield _ROOT
        for directory in (*_SENSITIVE, *self.shut):
            for form in {directory, _real(directory)}:
                if path.is_relative_to(form):
                    yield form
        for ancestor in (path, *path.parents):
            if ancestor.name in _SHUT_NAMES:
                yield ancestor


def _is_shut(barred: Path, path: Path, named: list[Path]) -> bool:
    return not any(directory.is_relative_to(barred) and path.is_relative_to(directory) for directory in named)
