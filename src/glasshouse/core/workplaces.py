"""Who is at work in a directory: tasks side by side, or one who changes it from outside, alone."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import PurePath

from glasshouse.contract.errors import DirectoryBusy, SessionBusy
from glasshouse.core.lifecycle import UNENDED
from glasshouse.core.ports import Store


class Workplaces:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._working: Counter[str] = Counter()
        self._alone: set[str] = set()
        self._left = asyncio.Condition()

    @asynccontextmanager
    async def at_work(self, working_dir: str) -> AsyncIterator[None]:
        """For a task, from before it is claimed until nothing of it runs; waits for who is alone there."""
        async with self._left:
            await self._left.wait_for(lambda: not self._is_shut(working_dir))
            self._working[working_dir] += 1
        try:
            yield
        finally:
            self._working[working_dir] -= 1
            if not self._working[working_dir]:
                del self._working[working_dir]

    @asynccontextmanager
    async def alone(self, session_id: str, working_dir: str) -> AsyncIterator[None]:
        """Raises SessionBusy, DirectoryBusy."""
        await check_free(self._store, session_id)
        if self._is_shut(working_dir) or any(_meet(working_dir, other) for other in self._working):
            raise DirectoryBusy
        self._alone.add(working_dir)
        try:
            # One may have been admitted at this very moment.
            await check_free(self._store, session_id)
            yield
        finally:
            self._alone.discard(working_dir)
            async with self._left:
                self._left.notify_all()

    def _is_shut(self, working_dir: str) -> bool:
        return any(_meet(working_dir, other) for other in self._alone)


async def check_free(store: Store, session_id: str) -> None:
    """Raises SessionBusy: a task of the session is under way or waits. What is written then expects it once more."""
    if await store.tasks(statuses=UNENDED, session_id=session_id):
        raise SessionBusy


def _meet(one: str, other: str) -> bool:
    """Whether one directory is the other, or lies in it."""
    return PurePath(one).is_relative_to(other) or PurePath(other).is_relative_to(one)
