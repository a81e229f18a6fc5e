"""What is kept for how long: sessions that nobody has touched for so many days are forgotten whole."""

import asyncio
import logging
from datetime import timedelta

from glasshouse.core.ports import Attachments, Clock, Store, StoreUnavailable, WorkingTrees
from glasshouse.core.times import timestamp

log = logging.getLogger(__name__)

_EVERY_S = 3600.0


class Retention:
    def __init__(self, *, store: Store, trees: WorkingTrees, attachments: Attachments, clock: Clock, days: int) -> None:
        """`days` 0: for ever."""
        self._store = store
        self._trees = trees
        self._attachments = attachments
        self._clock = clock
        self._days = days

    async def keep(self) -> None:
        """Until cancelled."""
        while self._days:
            try:
                if forgotten := await self.sweep():
                    log.info("forgot what was kept of old sessions", extra={"sessions": forgotten})
            except StoreUnavailable as problem:
                log.error("old sessions cannot be forgotten yet: %s", problem)
            except Exception:  # a chore that breaks must not end it for the life of the server
                log.exception("old sessions could not be forgotten")
            await asyncio.sleep(_EVERY_S)

    async def sweep(self) -> int:
        """Forget what is too old now; how many sessions that were."""
        before = timestamp(self._clock.now() - timedelta(days=self._days))
        quiet = await self._store.quiet_sessions(before)
        forgotten = [each for each in quiet if await self._store.forget(each, before)]
        for session_id in forgotten:
            await self._trees.forget(session_id)
            await self._attachments.forget(session_id)
        return len(forgotten)
