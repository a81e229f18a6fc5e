"""The project's own programs that a command line names: who may write them decides what it runs.

Those that can be seen to be programs. What a command reads or writes besides changes all the time, and a build tool's
own files (`make`, `npm run`) are not followed.
"""

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

from glasshouse.claude_home.files import read_regular

_WORD = re.compile(r"[^\s;&|()<>\"'`=]+")
_PROJECT = re.compile(r"\$\{?CLAUDE_PROJECT_DIR\}?")
_SUFFIXES = frozenset(
    (
        *(".sh", ".bash", ".zsh", ".fish", ".py", ".rb", ".pl", ".php", ".lua", ".ps1", ".exs"),
        *(".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"),
    )
)
_INTERPRETERS = re.compile(
    r"(.*/)?(sh|bash|zsh|dash|fish|source|\.|exec|env|node|deno|bun|ruby|perl|php|lua|pwsh|python[\d.]*)"
)
_FILE_LIMIT = 4 * 1024 * 1024
_MOST_FILES = 32


def named_programs(command_line: str, working_dir: Path) -> list[tuple[str, str]]:
    """Each by its word in the command line, with the digest of what it holds."""
    found: dict[str, str] = {}
    for word, path, is_interpreted in _paths(command_line, working_dir):
        content = read_regular(path, _FILE_LIMIT)
        if content is not None and (is_interpreted or _is_program(path, content)):
            found[word] = hashlib.sha256(content).hexdigest()
        if len(found) >= _MOST_FILES:
            break
    return sorted(found.items())


def _paths(command_line: str, working_dir: Path) -> Iterator[tuple[str, Path, bool]]:
    before = ""
    for word in _WORD.findall(_PROJECT.sub(lambda _: str(working_dir), command_line)):
        path = working_dir / word
        # What is outside is not the project's to write.
        if "\0" not in word and len(word) < 4096 and path.is_relative_to(working_dir):
            yield word, path, _INTERPRETERS.fullmatch(before) is not None
        if not word.startswith("-"):
            before = word


def _is_program(path: Path, content: bytes) -> bool:
    return content.startswith(b"#!") or path.suffix.lower() in _SUFFIXES or os.access(path, os.X_OK)
