"""What is kept for how long: sessions that nobody has touched for so many days are forgotten whole.

One that others were forked from stays as long as they do: their conversation speaks of its attachments.
"""

import asyncio
import logging
from collections.abc import Collection
from datetime import timedelta

from glasshouse.core.forking import lineage
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
        drawn_on = await self._drawn_on_but_by(quiet)
        forgotten = [each for each in quiet if each not in drawn_on and await self._store.forget(each, before)]
        for session_id in forgotten:
            await self._trees.forget(session_id)
            await self._attachments.forget(session_id)
        return len(forgotten)

    async def _drawn_on_but_by(self, sessions: Collection[str]) -> set[str]:
        found: set[str] = set()
        for each in await self._store.sessions():
            if each.forked_from is not None and each.session_id not in sessions:
                found.update(await lineage(self._store, each.session_id))
        return found
