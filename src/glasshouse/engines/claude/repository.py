"""What Claude Code tells a model of the repository when a session begins, as it stands at this moment."""

import asyncio
from contextlib import suppress

_PATIENCE_S = 0.5


async def state_of_repository(directory: str) -> str:
    """Equal as long as nothing that it tells has changed; never equal where git does not answer in time.

    Only for directories that are trusted: git runs programs that a repository's settings name.
    """
    try:
        git = await asyncio.create_subprocess_exec(
            "git", "--no-optional-locks", "-C", directory, "status", "--porcelain=v2", "--branch",
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
    except OSError:
        return "no git"
    try:
        async with asyncio.timeout(_PATIENCE_S):
            told, _ = await git.communicate()
    except TimeoutError:
        return f"unknown {id(git)}"
    finally:
        if git.returncode is None:
            with suppress(ProcessLookupError):
                git.kill()
            await git.wait()
    return f"{git.returncode} {told.decode(errors='replace')}"
