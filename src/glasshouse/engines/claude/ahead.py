"""One Claude Code that is connected before it is asked: for the next session that begins like the last one did.

A session's id is given to Claude Code when it starts, so the process has the id that the session will have.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

from glasshouse.claude_home.settings import acts_at_start
from glasshouse.claude_home.unfinished import Unfinished
from glasshouse.contract.ids import new_id
from glasshouse.contract.task import TaskRequest
from glasshouse.core.ports import EngineTask, ProcessesRemain
from glasshouse.engines.claude.connection import Connection
from glasshouse.engines.claude.launch import Launch
from glasshouse.engines.claude.process import Broken, NotReady
from glasshouse.engines.claude.repository import state_of_repository
from glasshouse.engines.claude.trust import Undecided
from glasshouse.engines.claude.warm import Asked, Warm
from glasshouse.engines.claude.workplace import Workplace

log = logging.getLogger(__name__)

# The one that has just done a task has the first place.
_FEWEST_KEPT = 2

Launching = Callable[[EngineTask, Unfinished | None], Awaitable[Launch]]


class Ahead:
    def __init__(self, at: Workplace, warm: Warm) -> None:
        self._at = at
        self._warm = warm
        # What the process was started for, until its session is given away.
        self._offer: EngineTask | None = None
        self._connecting: asyncio.Task[None] | None = None

    def connect(self, like: Launch, launching: Launching, program: Path) -> None:
        """Returns at once. Only in a directory that is trusted: what it brings along runs with the start."""
        wanted = self._warm.is_open and self._warm.most >= _FEWEST_KEPT and like.project.trusted and not like.is_one_off
        is_connecting = self._connecting is not None and not self._connecting.done()
        if not wanted or is_connecting or self._at.starts.locked():
            return
        task = replace(like.of_process.task, session_id=new_id())
        self._connecting = asyncio.create_task(self._connected(task, launching, program))

    def session_for(self, request: TaskRequest, working_dir: str, *, deltas: bool, offline: bool) -> str | None:
        """The session of the process, if it was started for just this; given away once."""
        offer = self._offer
        if offer is None or offer.session_id not in self._warm:
            return None
        wanted = (working_dir, offline, deltas, request.permission_mode, request.model, request.max_turns)
        offered = (offer.working_dir, offer.offline, offer.deltas, offer.permission_mode, offer.model, offer.max_turns)
        if wanted != offered or (None if request.tools is None else tuple(request.tools)) != offer.tools:
            return None
        self._offer = None
        return offer.session_id

    async def close(self) -> None:
        if self._connecting is not None:
            self._connecting.cancel()
            await asyncio.gather(self._connecting, return_exceptions=True)

    async def _connected(self, task: EngineTask, launching: Launching, program: Path) -> None:
        try:
            launch = await launching(task, Unfinished())
        except Undecided:
            return
        if not launch.project.trusted or await asyncio.to_thread(acts_at_start, launch.home, Path(task.working_dir)):
            return
        if self._offer is not None and self._offer.session_id in self._warm:
            if replace(self._offer, session_id="") == launch.of_process.task:
                return
            await self._warm.let_go(self._offer.session_id)
        self._offer = None
        # Before the process reads it: what changes meanwhile is a difference.
        repository = await state_of_repository(task.working_dir)
        connection = Connection(launch, (), program, self._at)
        try:
            await connection.open()
            await self._warm.keep(task.session_id, connection, Asked(launch.of_process, frozenset()), repository)
            self._offer = task
        except (NotReady, Broken) as problem:
            log.warning("no Claude Code could be connected ahead: %s", problem)
        finally:
            if self._offer is not task:
                await _ended(connection)


async def _ended(connection: Connection) -> None:
    try:
        await connection.end(0)
    except ProcessesRemain as problem:
        log.error("a process that was connected ahead cannot be ended: %s", problem)
