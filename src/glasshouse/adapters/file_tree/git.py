"""The names that git knows or would add: what .gitignore leaves out is not among them."""

import asyncio
import os
import shutil
from contextlib import suppress
from pathlib import Path

_BYTES = 32 * 1024 * 1024
_CHUNK = 256 * 1024
# A repository's own settings may name programs, and may have been written by an agent: none of them is run.
_NOTHING_RUNS = (
    *("-c", "core.fsmonitor=false"),
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", "core.untrackedCache=false"),
    *("-c", "protocol.allow=never"),
)
_LISTED = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")


async def names_by_git(directory: Path, seconds: float) -> tuple[list[bytes], bool] | None:
    """Relative to the directory, and whether these are all; None where git has nothing to say of it."""
    program = shutil.which("git")
    if program is None:
        return None
    try:
        process = await asyncio.create_subprocess_exec(
            *(program, *_NOTHING_RUNS, *_LISTED),
            cwd=directory,
            env=_environment(),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return None
    try:
        output, whole = await _output(process, seconds)
    finally:
        if was_cut := process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    if process.returncode != 0 and not was_cut:
        return None
    # What follows the last NUL is nothing, or a name that was cut.
    return output.split(b"\0")[:-1], whole


async def _output(process: asyncio.subprocess.Process, seconds: float) -> tuple[bytes, bool]:
    """What it says in its time, and whether that is all."""
    assert process.stdout is not None
    output = bytearray()
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while len(output) < _BYTES and (chunk := await process.stdout.read(_CHUNK)):
                output += chunk
            if len(output) < _BYTES:
                return bytes(output), await process.wait() == 0
    return bytes(output), False


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**kept, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C"}
