"""The CLAUDE.md files of a project as text: for a Claude Code that is not to load anything of the project itself."""

from collections.abc import Iterator
from pathlib import Path

from glasshouse.claude_home.files import read_regular, repository_root, resolved_inside

# Instructions are meant to be short; Claude Code itself warns at 40,000 characters.
MEMORY_LIMIT = 64 * 1024
_NAMES = ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md")


def project_memory(working_dir: Path) -> str:
    """From the repository's root down to the working directory; empty if there are none."""
    root = (repository_root(working_dir) or working_dir).resolve()
    parts: list[str] = []
    left = MEMORY_LIMIT
    for path in _files(working_dir.resolve(), root):
        content = read_regular(path, left, follow=False)
        if content is None or not content.strip():
            continue
        left -= len(content)
        # A NUL cannot be a part of a command line or of a prompt.
        text = content.decode(errors="replace").replace("\0", "").strip()
        parts.append(f"Contents of {path} (project instructions):\n\n{text}")
        if left <= 0:
            parts.append(f"(cut here: only the first {MEMORY_LIMIT} bytes of the project's instructions are given)")
            break
    return "\n\n".join(parts)


def _files(working_dir: Path, root: Path) -> Iterator[Path]:
    below_root = [path for path in (working_dir, *working_dir.parents) if path.is_relative_to(root)]
    seen: set[Path] = set()
    for directory in reversed(below_root):
        for name in _NAMES:
            real = resolved_inside(directory / name, root)
            if real is not None and real not in seen:
                seen.add(real)
                yield real
