"""The task queue of a single server: a line a session, in memory; a start puts in again what the log has as queued."""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable

from glasshouse.core.ports import TaskRecord

log = logging.getLogger(__name__)


class LocalQueue:
    def __init__(self) -> None:
        self._lines: dict[str, deque[str]] = {}
        self._workers: dict[str, asyncio.Task[None]] = {}
        self._run: Callable[[str], Awaitable[None]] | None = None
        self._stopped = False

    async def start(self, run: Callable[[str], Awaitable[None]]) -> None:
        self._run = run
        for session_id in self._lines:
            self._work_on(session_id)

    async def put(self, task: TaskRecord) -> None:
        self._lines.setdefault(task.session_id, deque()).append(task.task_id)
        self._work_on(task.session_id)

    async def stop(self) -> None:
        self._stopped = True
        await asyncio.gather(*self._workers.values(), return_exceptions=True)

    def _work_on(self, session_id: str) -> None:
        if self._run is None or self._stopped or session_id in self._workers:
            return
        self._workers[session_id] = asyncio.create_task(self._work(self._run, session_id))

    async def _work(self, run: Callable[[str], Awaitable[None]], session_id: str) -> None:
        line = self._lines[session_id]
        try:
            while line and not self._stopped:
                task_id = line.popleft()
                try:
                    await run(task_id)
                except Exception:  # one task's trouble must not hold up those behind it
                    log.exception("task could not be run", extra={"task_id": task_id})
        finally:
            del self._workers[session_id]
            if not line:
                del self._lines[session_id]
