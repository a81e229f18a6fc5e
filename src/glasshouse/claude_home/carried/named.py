"""The project's own files that a command line names: who may write them decides what it runs."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from glasshouse.claude_home.files import read_regular

_WORD = re.compile(r"[^\s;&|()<>\"'`=]+")
_PROJECT = re.compile(r"\$\{?CLAUDE_PROJECT_DIR\}?")
_FILE_LIMIT = 4 * 1024 * 1024
_MOST_FILES = 32


def named_files(command_line: str, working_dir: Path) -> list[tuple[str, str]]:
    """Each by its word in the command line, with the digest of what it holds."""
    found: dict[str, str] = {}
    for word, path in _paths(command_line, working_dir):
        content = read_regular(path, _FILE_LIMIT)
        if content is not None:
            found[word] = hashlib.sha256(content).hexdigest()
        if len(found) >= _MOST_FILES:
            break
    return sorted(found.items())


def _paths(command_line: str, working_dir: Path) -> Iterator[tuple[str, Path]]:
    for word in dict.fromkeys(_WORD.findall(_PROJECT.sub(lambda _: str(working_dir), command_line))):
        if "\0" in word or len(word) > 4096:
            continue
        path = working_dir / word
        # What is outside is not the project's to write.
        if path.is_relative_to(working_dir):
            yield word, path
