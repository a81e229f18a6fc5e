"""A task while it runs: what its engine may do, why it is to stop, and when it was last heard of."""

import asyncio
from datetime import datetime
from enum import StrEnum

from glasshouse.contract.events import DurableEvent, LiveEvent, Stamp
from glasshouse.core.encoding import entry_of
from glasshouse.core.lifecycle import still
from glasshouse.core.ports import Append, Clock, EngineTask, Store, TaskRecord
from glasshouse.core.times import timestamp
from glasshouse.core.work import Work

STALLED_AFTER_S = 60.0


class Reason(StrEnum):
    """Why a task was told to stop; the first reason given counts."""

    CANCELLED = "cancelled"
    TIMED_OUT = "timed_out"
    SHUTDOWN = "shutdown"


class LiveTask:
    """What an engine sees of the task that it does (the port `Run`), and what core knows of it meanwhile."""

    def __init__(self, record: TaskRecord, task: EngineTask, store: Store, clock: Clock) -> None:
        self.record = record
        self.task = task
        self.stop = asyncio.Event()
        self.reason: Reason | None = None
        self.work = Work()
        self._store = store
        self._clock = clock
        self._heard_at = clock.monotonic()
        self._heard_on: datetime = clock.now()

    def ask_to_stop(self, reason: Reason) -> None:
        if self.reason is None:
            self.reason = reason
        self.stop.set()

    def stamp(self) -> Stamp:
        return {
            "session_id": self.record.session_id,
            "task_id": self.record.task_id,
            "timestamp": timestamp(self._clock.now()),
        }

    async def emit(self, event: DurableEvent) -> None:
        self.alive()
        self.work.see(event)
        await self._store.append(
            Append(self.record.session_id, entries=(entry_of(event),), expect=(still(self.record),))
        )

    def show(self, event: LiveEvent) -> None:
        self.alive()
        self._store.publish(self.record.session_id, entry_of(event))

    def alive(self) -> None:
        self._heard_at = self._clock.monotonic()
        self._heard_on = self._clock.now()

    def stalled_since(self) -> str | None:
        """When it fell silent, if a minute has passed since and no tool is at work."""
        if self.work.open_calls or self._clock.monotonic() - self._heard_at < STALLED_AFTER_S:
            return None
        return timestamp(self._heard_on)
