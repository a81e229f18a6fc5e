"""What is remembered of each session's directory: a tree and when it was taken, or why there is none."""

import asyncio
import base64
import hashlib
import json
import logging
import os
import shutil
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4
from weakref import WeakValueDictionary

from glasshouse.adapters.git import snapshot
from glasshouse.adapters.git.comparison import GitComparison
from glasshouse.adapters.git.program import Git
from glasshouse.adapters.git.reasons import told_why
from glasshouse.adapters.git.repository import Repository, repository_of
from glasshouse.adapters.git.snapshot import Large, Snapshot
from glasshouse.core.ports import Clock, Comparison, NoTree, TreeUnavailable
from glasshouse.core.times import timestamp

log = logging.getLogger(__name__)

# A task waits so long for it before it begins to work.
_REMEMBER_WITHIN_S = 10.0
_COMPARE_WITHIN_S = 30.0
_LOOKS_AT_ONCE = 2


class GitTrees:
    """The port `WorkingTrees`. `directory` is ours: a git directory in it for each directory that was worked in."""

    def __init__(
        self,
        directory: Path,
        *,
        covers: Callable[[Path], bool],
        clock: Clock,
        remember_within_s: float = _REMEMBER_WITHIN_S,
    ) -> None:
        """`covers` tells of a directory whether its files may be looked at."""
        self._directory = directory
        self._covers = covers
        self._clock = clock
        self._looks = asyncio.Semaphore(_LOOKS_AT_ONCE)
        self._remember_within_s = remember_within_s
        self._turns: WeakValueDictionary[Path, asyncio.Lock] = WeakValueDictionary()

    async def remember(self, session_id: str, working_dir: str) -> None:
        place = self._place(working_dir)
        base = _base_file(place, session_id)
        if await asyncio.to_thread(base.exists):
            return
        moment = timestamp(self._clock.now())
        kept: dict[str, Any] = {"recorded_at": moment, "working_dir": working_dir}
        try:
            taken = await self._taken(place, working_dir)
        except TreeUnavailable as none:
            kept |= {"none": none.reason}
        else:
            kept |= {"tree": taken.tree, "large": _written(taken.large)}
        try:
            await asyncio.to_thread(_write, base, json.dumps(kept))
        except OSError as problem:  # a full disk, for one: the task can do without
            log.error("a session's tree cannot be kept: %s", problem, extra={"session_id": session_id})

    @asynccontextmanager
    async def compare(self, session_id: str, working_dir: str) -> AsyncIterator[Comparison]:
        place = self._place(working_dir)
        base, recorded_at = await asyncio.to_thread(_base, _base_file(place, session_id))
        repository = await asyncio.to_thread(repository_of, Path(working_dir))
        if repository is None:
            raise TreeUnavailable(NoTree.NOT_A_REPOSITORY)
        now = place / f"now-{uuid4().hex}"
        git = replace(_git(place, repository), index=now / "index", objects=now / "objects")
        git = replace(git, alternates=(place / "objects", *git.alternates))
        try:
            with told_why():
                async with self._looks, asyncio.timeout(_COMPARE_WITHIN_S):
                    await asyncio.to_thread(_make_room, place, now, repository)
                    comparison = GitComparison(
                        git,
                        base,
                        await snapshot.take(git, repository, Path(working_dir), self._covers),
                        working_dir=Path(working_dir),
                        scope=snapshot.scope_of(repository.root, Path(working_dir)),
                        recorded_at=recorded_at,
                    )
                    await comparison.look()
            yield comparison
        finally:
            await asyncio.to_thread(shutil.rmtree, now, ignore_errors=True)

    async def forget(self, session_id: str) -> None:
        for base in await asyncio.to_thread(_bases_of, self._directory, session_id):
            place = base.parent.parent
            async with self._turns.setdefault(place, asyncio.Lock()):
                await asyncio.to_thread(_forget, base)

    async def _taken(self, place: Path, working_dir: str) -> Snapshot:
        """Raises TreeUnavailable."""
        repository = await asyncio.to_thread(repository_of, Path(working_dir))
        if repository is None:
            raise TreeUnavailable(NoTree.NOT_A_REPOSITORY)
        with told_why():
            async with asyncio.timeout(self._remember_within_s), self._turns.setdefault(place, asyncio.Lock()):
                await asyncio.to_thread(_make_ready, place, repository)
                git = _git(place, repository)
                return await snapshot.take(git, repository, Path(working_dir), self._covers)

    def _place(self, working_dir: str) -> Path:
        return self._directory / hashlib.sha256(os.fsencode(working_dir)).hexdigest()[:32]


def _git(place: Path, repository: Repository) -> Git:
    alternates = () if repository.objects is None else (repository.objects,)
    return Git(place, repository.root, place / "index", place / "objects", alternates)


def _make_ready(place: Path, repository: Repository) -> None:
    snapshot.make_ready(place, repository)
    # Of a git that was killed: whoever comes here is alone.
    (place / "index.lock").unlink(missing_ok=True)


def _make_room(place: Path, now: Path, repository: Repository) -> None:
    """For the objects of this moment, which nobody keeps; what is unchanged is known from the index."""
    snapshot.make_ready(place, repository)
    (now / "objects").mkdir(mode=0o700, parents=True)
    with suppress(FileNotFoundError):
        # With its time: by that git knows which of its entries may be out of date.
        shutil.copy2(place / "index", now / "index")


def _bases_of(directory: Path, session_id: str) -> list[Path]:
    return list(directory.glob(f"*/bases/{session_id}.json"))


def _forget(base: Path) -> None:
    """With all that was kept for it, once no other session needs it."""
    base.unlink(missing_ok=True)
    if not any(base.parent.iterdir()):
        shutil.rmtree(base.parent.parent, ignore_errors=True)


def _base_file(place: Path, session_id: str) -> Path:
    return place / "bases" / f"{session_id}.json"


def _base(file: Path) -> tuple[Snapshot, str]:
    """Raises TreeUnavailable."""
    try:
        kept = json.loads(file.read_bytes())
    except (OSError, ValueError):
        raise TreeUnavailable(NoTree.NOT_RECORDED) from None
    if "none" in kept:
        raise TreeUnavailable(NoTree(kept["none"]))
    large = {base64.b64decode(name): Large(*seen) for name, seen in kept["large"].items()}
    return Snapshot(kept["tree"], large), kept["recorded_at"]


def _written(large: Mapping[bytes, Large]) -> dict[str, tuple[int, int]]:
    return {base64.b64encode(name).decode(): (seen.size, seen.modified_ns) for name, seen in large.items()}


def _write(file: Path, text: str) -> None:
    """Whole or not at all."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    beside = file.with_suffix(".new")
    beside.write_text(text)
    beside.replace(file)
