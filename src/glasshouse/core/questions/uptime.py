"""The clock of questions: it runs only while a server does, and is kept over restarts."""

import asyncio
from contextlib import suppress

from glasshouse.core.ports import Clock, Store, StoreUnavailable

# So much is lost at the most when a server dies.
_NOTED_EVERY_S = 5.0


class Uptime:
    def __init__(self, *, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._before_s = 0.0
        self._began = clock.monotonic()

    async def load(self) -> None:
        self._before_s = await self._store.uptime_s()
        self._began = self._clock.monotonic()

    def now_s(self) -> float:
        return self._before_s + self._clock.monotonic() - self._began

    async def keep(self) -> None:
        """Until cancelled."""
        while True:
            await asyncio.sleep(_NOTED_EVERY_S)
            await self.note()

    async def note(self) -> None:
        # A full disk now costs the clock some seconds, no more.
        with suppress(StoreUnavailable):
            await self._store.note_uptime(self.now_s())
