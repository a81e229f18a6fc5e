"""Claude Codes that have done a task, or none yet, and are kept for their session's next one.

One is used again only if it was started with just what the task wants, and if nobody else has spoken in its session;
else it is ended first, with certainty, like any other.
"""

import asyncio
import logging
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass, field

from claude_agent_sdk import Message, RateLimitEvent, SystemMessage

from glasshouse.claude_home.growth import Marks, marks_of, unless_spoken
from glasshouse.claude_home.unfinished import Unfinished
from glasshouse.core.ports import ProcessesRemain
from glasshouse.engines.claude.connection import Connection
from glasshouse.engines.claude.launch import Launch
from glasshouse.engines.claude.process import Broken
from glasshouse.engines.claude.repository import state_of_repository

log = logging.getLogger(__name__)

# How soon it is let go when somebody else has spoken in its session.
_LOOK_EVERY_S = 1.0
# What it may take to note where it stands; hooks of the user's may take longer.
_LEAVE_S = 2.0
# What is said of work. All else that comes between two tasks is news of no consequence: of limits, or of servers.
_OF_WORK = {"init", "task_started", "task_progress", "task_updated", "task_notification"}


@dataclass(frozen=True)
class Asked:
    """What a process must have been started with. `rules` are those that a person has allowed for the session."""

    launch: Launch
    rules: frozenset[str]


@dataclass
class _Kept:
    session_id: str
    connection: Connection
    asked: Asked
    marks: Marks
    # Of a process that has heard no prompt yet: the repository as it has read it.
    repository: str | None
    watch: asyncio.Task[None] = field(init=False)

    @property
    def left(self) -> Unfinished:
        return Unfinished(exists=bool(self.marks))

    async def is_untouched(self) -> bool:
        now = await asyncio.to_thread(unless_spoken, self.asked.launch.home, self.session_id, self.marks)
        self.marks = self.marks if now is None else now
        return now is not None

    async def is_still(self) -> bool:
        """It has said and done nothing; from here on somebody else listens to it."""
        await _cancelled(self.watch)
        return self.watch.cancelled()

    async def fits(self, asked: Asked) -> bool:
        if self.asked != asked or not await self.is_untouched():
            return False
        if self.repository is None:
            return True
        return await state_of_repository(asked.launch.task.working_dir) == self.repository


class Warm:
    def __init__(self, *, most: int, idle_s: float) -> None:
        """`most` are kept at a time, the longest unused is let go for another; each for so long."""
        self.most = most
        self._idle_s = idle_s
        # The longest unused first.
        self._kept: dict[str, _Kept] = {}
        self._going: dict[str, asyncio.Task[None]] = {}
        self._closed = False

    @property
    def is_open(self) -> bool:
        return self.most > 0 and not self._closed

    def __contains__(self, session_id: str) -> bool:
        return session_id in self._kept

    def left(self, session_id: str) -> Unfinished | None:
        """What the session left open, if its process is kept: true as long as that is still to be taken."""
        kept = self._kept.get(session_id)
        return None if kept is None else kept.left

    async def take(self, session_id: str, asked: Asked) -> Connection | None:
        """The process of this session, if it fits; when this returns None, the session has none any more."""
        kept = self._kept.pop(session_id, None)
        if kept is not None:
            try:
                if await kept.fits(asked) and await kept.is_still():
                    kept.connection.is_reused = True
                    return kept.connection
            except BaseException:
                self._end(kept)
                raise
            self._end(kept)
        if (going := self._going.get(session_id)) is not None:
            await asyncio.wait({going})
        return None

    async def keep(self, session_id: str, connection: Connection, asked: Asked, repository: str | None = None) -> None:
        marks = await asyncio.to_thread(marks_of, asked.launch.home, session_id)
        kept = _Kept(session_id, connection, asked, marks, repository)
        kept.connection.lead_nowhere()
        kept.watch = asyncio.create_task(_watched(kept, self._idle_s))
        if not self.is_open:
            self._end(kept)
            await asyncio.wait({self._going[session_id]})
            return
        self._kept[session_id] = kept
        kept.watch.add_done_callback(lambda _: self._let_go_of(kept))
        while len(self._kept) > self.most:
            self._let_go(next(iter(self._kept)))

    async def let_go(self, session_id: str) -> None:
        self._let_go(session_id)
        if (going := self._going.get(session_id)) is not None:
            await asyncio.wait({going})

    async def close(self) -> None:
        self._closed = True
        for session_id in list(self._kept):
            self._let_go(session_id)
        if self._going:
            await asyncio.wait(set(self._going.values()))

    def _let_go(self, session_id: str) -> None:
        if (kept := self._kept.pop(session_id, None)) is not None:
            self._end(kept)

    def _let_go_of(self, kept: _Kept) -> None:
        if self._kept.get(kept.session_id) is kept:
            self._let_go(kept.session_id)

    def _end(self, kept: _Kept) -> None:
        going = self._going[kept.session_id] = asyncio.create_task(_ended(kept))
        going.add_done_callback(lambda task: self._forget(kept.session_id, task))

    def _forget(self, session_id: str, going: asyncio.Task[None]) -> None:
        if self._going.get(session_id) is going:
            del self._going[session_id]


async def _watched(kept: _Kept, idle_s: float) -> None:
    """Until it has been unused for too long, dies, works by itself, or somebody else speaks in its session."""
    loop = asyncio.get_running_loop()
    until = loop.time() + idle_s
    hearing = asyncio.create_task(_until_it_works(kept.connection))
    try:
        while not hearing.done() and (left_s := until - loop.time()) > 0 and await kept.is_untouched():
            await asyncio.wait({hearing}, timeout=min(_LOOK_EVERY_S, left_s))
    finally:
        await _cancelled(hearing)


async def _until_it_works(connection: Connection) -> None:
    try:
        async with aclosing(connection.process.messages()) as heard:
            async for message in heard:
                if _is_of_work(message):
                    return
    except Broken:
        return


def _is_of_work(message: Message) -> bool:
    if not isinstance(message, SystemMessage):
        return not isinstance(message, RateLimitEvent)
    data: Mapping[str, object] = message.data
    match message.subtype:
        case "session_state_changed":
            return data.get("state") != "idle"
        case "background_tasks_changed":
            return bool(data.get("tasks"))
        case subtype:
            return subtype in _OF_WORK


async def _ended(kept: _Kept) -> None:
    await _cancelled(kept.watch)
    # At its end it notes where its conversation stands; not where somebody else has gone on with it.
    grace_s = _LEAVE_S if await kept.is_untouched() else 0.0
    try:
        await kept.connection.end(grace_s)
    except ProcessesRemain as problem:
        log.error("a process that was kept cannot be ended: %s", problem)


async def _cancelled(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
