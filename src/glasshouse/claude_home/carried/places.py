"""Where Claude Code looks for a project's own settings, servers and texts, seen from a working directory.

Measured with CLI 2.1.327: settings.json in the working directory alone; settings.local.json there, in the repository's
root and, of a worktree, in the root of its main repository; .mcp.json there and in every directory above, to the file
system's root; commands, skills and agents up to the repository's root (without one, up to the user's home), and in the
main repository of a worktree.
"""

from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from glasshouse.claude_home.files import read_regular, repository_root

_POINTER_LIMIT = 4096


@dataclass(frozen=True)
class Places:
    """`inside`: what belongs to the project; a link that leads out of all of them leads elsewhere."""

    settings: tuple[Path, ...]
    mcp_servers: tuple[Path, ...]
    folders: tuple[Path, ...]
    inside: tuple[Path, ...]


def places_of(working_dir: Path, user_home: Path) -> Places:
    upwards = (working_dir, *working_dir.parents)
    roots = _roots(working_dir)
    if roots:
        texts = upwards[: upwards.index(roots[0]) + 1]
    else:
        texts = tuple(takewhile(lambda path: path != user_home, upwards))
    return Places(
        settings=settings_files(working_dir),
        mcp_servers=tuple(path / ".mcp.json" for path in upwards),
        folders=tuple(path / ".claude" for path in dict.fromkeys((*texts, *roots))),
        inside=tuple(roots) or (working_dir,),
    )


def settings_files(working_dir: Path) -> tuple[Path, ...]:
    local = dict.fromkeys((working_dir, *_roots(working_dir)))
    return (
        working_dir / ".claude" / "settings.json",
        *(path / ".claude" / "settings.local.json" for path in local),
    )


def _roots(working_dir: Path) -> list[Path]:
    """The repository's, and of a worktree the main repository's."""
    root = repository_root(working_dir)
    if root is None:
        return []
    return [path for path in (root, main_repository(root)) if path is not None]


def main_repository(root: Path) -> Path | None:
    """Of a worktree, the directory that its repository is in."""
    pointer = (read_regular(root / ".git", _POINTER_LIMIT) or b"").decode(errors="surrogateescape")
    if not pointer.startswith("gitdir:"):
        return None
    git_dir = root / pointer.removeprefix("gitdir:").strip()
    common = (read_regular(git_dir / "commondir", _POINTER_LIMIT) or b"").decode(errors="surrogateescape").strip()
    if not common or "\0" in common:
        return None
    try:
        return (git_dir / common).resolve().parent
    except (OSError, RuntimeError):
        return None
