"""A server's parts, put together, and the order in which they begin and end."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from glasshouse.contract.example import Example
from glasshouse.contract.phrase import Language
from glasshouse.core import attachments as kept_files
from glasshouse.core.access import Access
from glasshouse.core.admission import Admission
from glasshouse.core.agents import SessionAgents
from glasshouse.core.changes import Changes
from glasshouse.core.conversation import Conversation
from glasshouse.core.directories import Directories
from glasshouse.core.execution import Execution
from glasshouse.core.files import Files
from glasshouse.core.forking import Forks
from glasshouse.core.history import History
from glasshouse.core.instructions import Instructions
from glasshouse.core.limits import SlidingWindow
from glasshouse.core.ports import (
    Attachments,
    Clock,
    Engine,
    Processes,
    SessionIndex,
    Sessions,
    Store,
    StoreUnavailable,
    TaskQueue,
)
from glasshouse.core.questions.desk import Desk
from glasshouse.core.questions.uptime import Uptime
from glasshouse.core.recovery import recover
from glasshouse.core.retention import Retention
from glasshouse.core.rewind import Rewind
from glasshouse.core.self_check import SelfChecks
from glasshouse.core.settings import Settings
from glasshouse.core.visible import VisibleSessions

log = logging.getLogger(__name__)

# What a task that is told to stop may take; its processes are gone within 5 s, or that is reported.
_DRAIN_S = 7.0
_DUE_SEEN_EVERY_S = 1.0


class ServerState(StrEnum):
    STARTING = "starting"
    READY = "ready"
    DRAINING = "draining"


@dataclass
class Services:
    version: str
    settings: Settings
    directories: Directories
    clock: Clock
    store: Store
    attachments: Attachments
    queue: TaskQueue
    processes: Processes
    engines: Mapping[str, Engine]
    uptime: Uptime
    retention: Retention
    desk: Desk
    sessions: Sessions
    visible: VisibleSessions
    forks: Forks
    self_checks: SelfChecks
    conversation: Conversation
    files: Files
    agents: SessionAgents
    index: SessionIndex
    history: History
    access: Access
    admission: Admission
    instructions: Instructions
    execution: Execution
    changes: Changes
    rewind: Rewind
    # The browser's session cookie: named for the data directory, since cookies know no ports.
    cookie: str
    wrong_keys: SlidingWindow
    task_rates: Mapping[str, SlidingWindow]
    examples: Callable[[Language], Sequence[Example]]
    stop_offline_model: Callable[[], Awaitable[None]]
    state: ServerState = field(default=ServerState.STARTING)
    _chores: list[asyncio.Task[None]] = field(default_factory=list)

    @property
    def is_ready(self) -> bool:
        return self.state is ServerState.READY

    async def start(self) -> None:
        await self.store.open()
        await self.index.open()
        await self.access.load()
        swept = await self.processes.sweep()
        interrupted = await recover(
            store=self.store,
            queue=self.queue,
            engines=self.engines,
            instructions=self.instructions,
            clock=self.clock,
            language=self.settings.language,
        )
        if swept or interrupted:
            log.warning("ended what an earlier server left", extra={"processes": swept, "interrupted": interrupted})
        await kept_files.sweep(self.attachments, self.store)
        await self.uptime.load()
        await self.desk.settle_decided()
        await self.queue.start(self.execution.run)
        chores = (
            self.uptime.keep(),
            self.retention.keep(),
            self._settle_due_questions(),
            self._take_up_parked(),
        )
        self._chores = [asyncio.create_task(chore) for chore in chores]
        self.state = ServerState.READY
        await self.index.follow()

    async def _settle_due_questions(self) -> None:
        while True:
            try:
                for task_id in await self.desk.settle_due():
                    await self.execution.fail_unanswered(task_id)
            except StoreUnavailable as problem:
                log.error("questions that are out of time cannot be settled yet: %s", problem)
            except Exception:  # one question's trouble must not stop the clock of all others
                log.exception("questions that are out of time could not be settled")
            await asyncio.sleep(_DUE_SEEN_EVERY_S)

    async def _take_up_parked(self) -> None:
        while True:
            try:
                await self.execution.parking.take_up_due()
            except StoreUnavailable as problem:
                log.error("parked tasks cannot be looked at yet: %s", problem)
            except Exception:  # one task's trouble must not leave all others parked
                log.exception("parked tasks could not be looked at")
            await asyncio.sleep(_DUE_SEEN_EVERY_S)

    async def prepare(self) -> None:
        """What is slow to do first, once the server answers."""
        for engine in self.engines.values():
            await asyncio.to_thread(engine.prepare)
        await self.self_checks.run()

    async def drain(self) -> None:
        """Take nothing more, stop what runs without ending it, and let the listeners go."""
        self.state = ServerState.DRAINING
        self.execution.shut_down()
        try:
            async with asyncio.timeout(_DRAIN_S):
                await asyncio.gather(self.queue.stop(), *(engine.close() for engine in self.engines.values()))
        except TimeoutError:
            log.error("tasks did not stop in time; the next start ends what they left")
        self.store.hang_up()

    async def close(self) -> None:
        for chore in self._chores:
            chore.cancel()
        await asyncio.gather(*self._chores, return_exceptions=True)
        await self.stop_offline_model()
        await self.index.close()
        await self.uptime.note()
        await self.store.close()
