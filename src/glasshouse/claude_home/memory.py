"""The instructions of a project as text: for a Claude Code that is not to load anything of the project itself.

Its CLAUDE.md files, what they import, and its rules; nothing that lies outside the project.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from glasshouse.claude_home.files import read_regular, repository_root, resolved_inside

# Instructions are meant to be short; Claude Code itself warns at 40,000 characters.
MEMORY_LIMIT = 64 * 1024
_NAMES = ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md")
_RULES = ".claude/rules"
_MOST_RULES = 100
_DEEPEST_IMPORT = 5
_CODE = re.compile(r"```.*?(```|\Z)|`[^`\n]*`", re.DOTALL)
_IMPORT = re.compile(r"(?:^|\s)@([^\s`@]+)")


def project_memory(working_dir: Path) -> str:
    """From the repository's root down to the working directory; empty if there are none."""
    root = (repository_root(working_dir) or working_dir).resolve()
    memory = _Memory(root)
    for directory in reversed([path for path in _upwards(working_dir.resolve()) if path.is_relative_to(root)]):
        for path in _files(directory):
            memory.add(path)
    return "\n\n".join(memory.parts)


class _Memory:
    def __init__(self, root: Path) -> None:
        self.parts: list[str] = []
        self._root = root
        self._left = MEMORY_LIMIT
        self._seen: set[Path] = set()

    def add(self, path: Path, depth: int = 0) -> None:
        real = resolved_inside(path, self._root)
        if real is None or real in self._seen or self._left <= 0:
            return
        self._seen.add(real)
        content = read_regular(real, self._left, follow=False)
        if content is None or not content.strip():
            return
        self._left -= len(content)
        # A NUL cannot be a part of a command line or of a prompt.
        text = content.decode(errors="replace").replace("\0", "").strip()
        self.parts.append(f"Contents of {real} (project instructions):\n\n{text}")
        if self._left <= 0:
            self.parts.append(
                f"(cut here: only the first {MEMORY_LIMIT} bytes of the project's instructions are given)"
            )
        elif depth < _DEEPEST_IMPORT:
            for name in _IMPORT.findall(_CODE.sub(" ", text)):
                self.add(real.parent / name, depth + 1)


def _upwards(directory: Path) -> tuple[Path, ...]:
    return (directory, *directory.parents)


def _files(directory: Path) -> Iterator[Path]:
    for name in _NAMES:
        yield directory / name
    yield from sorted((directory / _RULES).rglob("*.md"))[:_MOST_RULES]
