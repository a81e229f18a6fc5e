"""Git itself: started with a clean environment, in a repository of ours, and never for longer than it may."""

import asyncio
import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

# Of names and changes, not of contents.
_OUTPUT_LIMIT = 64 * 1024 * 1024
_PASSED_ON = ("PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR", "SYSTEMROOT")


class GitFailed(Exception):
    """It ended with an error; the text is what it said."""


class GitMissing(Exception):
    """There is no git on this machine."""


class TooMuch(Exception):
    """It said more than is listened to."""


@dataclass(frozen=True, slots=True)
class Git:
    """`directory` stands where the repository's own `.git` would; `root` is what it looks at."""

    directory: Path
    root: Path
    index: Path
    objects: Path
    # Where objects are found that need not be written again.
    alternates: Sequence[Path] = ()

    async def __call__(
        self, *arguments: str | bytes, given: bytes = b"", limit: int = _OUTPUT_LIMIT, cut: bool = False
    ) -> bytes:
        """What it prints; `cut` takes the first `limit` bytes of more. Raises GitFailed, GitMissing, TooMuch."""
        program = shutil.which("git")
        if program is None:
            raise GitMissing
        process = await asyncio.create_subprocess_exec(
            program,
            *arguments,
            cwd=self.root,
            env=self._environment(),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        try:
            return await _heard(process, given, limit, cut)
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    process.kill()
                await process.wait()

    def _environment(self) -> Mapping[str, str]:
        variables = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        return variables | {
            "LC_ALL": "C",
            "GIT_DIR": str(self.directory),
            "GIT_WORK_TREE": str(self.root),
            "GIT_INDEX_FILE": str(self.index),
            "GIT_OBJECT_DIRECTORY": str(self.objects),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": ":".join(_quoted(path) for path in self.alternates),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_LITERAL_PATHSPECS": "1",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_TERMINAL_PROMPT": "0",
        }


async def _heard(process: asyncio.subprocess.Process, given: bytes, limit: int, cut: bool) -> bytes:
    assert process.stdin and process.stdout and process.stderr
    feeding = asyncio.create_task(_feed(process.stdin, given))
    complaining = asyncio.create_task(_complaint(process.stderr))
    heard = bytearray()
    try:
        while len(heard) <= limit and (part := await process.stdout.read(1 << 16)):
            heard += part
        if len(heard) > limit:
            if cut:
                return bytes(heard[:limit])
            raise TooMuch
        complaint = await complaining
        if await process.wait():
            raise GitFailed(complaint)
        return bytes(heard)
    finally:
        for task in (feeding, complaining):
            task.cancel()
        await asyncio.gather(feeding, complaining, return_exceptions=True)


async def _feed(pipe: asyncio.StreamWriter, given: bytes) -> None:
    with suppress(ConnectionError):  # it ended before it had read all
        pipe.write(given)
        await pipe.drain()
        pipe.close()
        await pipe.wait_closed()


async def _complaint(pipe: asyncio.StreamReader) -> str:
    """The first of what it says; all is read, or it would wait for its reader."""
    said = b""
    while part := await pipe.read(1 << 16):
        said = (said + part)[:2000]
    return said.decode(errors="replace")


def _quoted(path: Path) -> str:
    """As git reads a list of paths: one in quotes may hold whatever a path can."""
    text = str(path).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{text}"'
