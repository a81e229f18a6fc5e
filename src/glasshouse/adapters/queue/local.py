"""The task queue of a single server: a line a session, in memory; a start puts in again what the log has as queued."""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Sequence

from glasshouse.core.ports import TaskRecord

log = logging.getLogger(__name__)

# At a start thousands of lines may only wait for a person. Looked at all at once, each would be a coroutine that reads
# the log, and the first request of anybody would stand behind them.
_LOOKED_AT = 32
_LOOK_S = 0.1


class LocalQueue:
    def __init__(self) -> None:
        self._lines: dict[str, deque[str]] = {}
        self._workers: dict[str, asyncio.Task[None]] = {}
        self._run: Callable[[str], Awaitable[bool]] | None = None
        # Sessions whose first task is to be looked at again once the worker is done with it.
        self._nudged: set[str] = set()
        self._stopped = False
        self._looking: asyncio.Task[None] | None = None

    async def start(self, run: Callable[[str], Awaitable[bool]]) -> None:
        self._run = run
        self._looking = asyncio.create_task(self._look_at(list(self._lines)))

    async def put(self, task: TaskRecord) -> None:
        line = self._lines.setdefault(task.session_id, deque())
        if task.task_id in line:
            self._nudged.add(task.session_id)
        else:
            line.append(task.task_id)
        self._work_on(task.session_id)

    async def stop(self) -> None:
        self._stopped = True
        if self._looking is not None:
            self._looking.cancel()
        await asyncio.gather(*self._workers.values(), return_exceptions=True)

    async def _look_at(self, sessions: Sequence[str]) -> None:
        for first in range(0, len(sessions), _LOOKED_AT):
            some = sessions[first : first + _LOOKED_AT]
            for session_id in some:
                if session_id in self._lines:
                    self._work_on(session_id)
            # Those that work on are not waited for.
            if workers := [self._workers[each] for each in some if each in self._workers]:
                await asyncio.wait(workers, timeout=_LOOK_S)

    def _work_on(self, session_id: str) -> None:
        if self._run is None or self._stopped or session_id in self._workers:
            return
        self._workers[session_id] = asyncio.create_task(self._work(self._run, session_id))

    async def _work(self, run: Callable[[str], Awaitable[bool]], session_id: str) -> None:
        line = self._lines[session_id]
        try:
            while line and not self._stopped:
                self._nudged.discard(session_id)
                if await self._is_over(run, line[0]):
                    line.popleft()
                elif session_id not in self._nudged:
                    return  # it waits, and the line with it, until it is put again
        finally:
            del self._workers[session_id]
            if not line:
                del self._lines[session_id]

    async def _is_over(self, run: Callable[[str], Awaitable[bool]], task_id: str) -> bool:
        try:
            return await run(task_id)
        except Exception:  # one task's trouble must not hold up those behind it
            log.exception("task could not be run", extra={"task_id": task_id})
            return True
