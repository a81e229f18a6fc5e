"""Doing admitted tasks: claim, run the engine, write the one end. Every task reaches exactly one."""

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress
from uuid import uuid4

from glasshouse.contract.phrase import Language
from glasshouse.contract.task import Failure, TaskState, TaskStatus
from glasshouse.core import messages
from glasshouse.core.ending import end_of_task, judged
from glasshouse.core.lifecycle import QUEUED, moved, still
from glasshouse.core.live import LiveTask, Reason
from glasshouse.core.ports import (
    Append,
    Clock,
    Engine,
    EngineTask,
    Outcome,
    SessionRecord,
    Store,
    StoreUnavailable,
    TaskMoved,
    TaskRecord,
)
from glasshouse.core.times import timestamp
from glasshouse.core.work import Work

log = logging.getLogger(__name__)

_RETRY_S = 1.0


class Execution:
    def __init__(
        self,
        *,
        store: Store,
        engines: Mapping[str, Engine],
        clock: Clock,
        language: Language,
        timeout_s: float,
        tools_bound: tuple[str, ...] | None,
    ) -> None:
        """`timeout_s` is the default of a task's own and its upper bound; 0 is none."""
        self._store = store
        self._engines = engines
        self._clock = clock
        self._language = language
        self._timeout_s = timeout_s
        self._tools_bound = tools_bound
        self._live: dict[str, LiveTask] = {}
        self._ended: dict[str, asyncio.Event] = {}
        self._draining = False

    # --- from the queue

    async def run(self, task_id: str) -> None:
        record = await self._store.task(task_id)
        if record is None or record.status is not QUEUED or self._draining:
            return
        session = await self._store.session(record.session_id)
        claimed = moved(
            record,
            TaskStatus.RUNNING,
            generation=record.generation + 1,
            started_at=timestamp(self._clock.now()),
        )
        live = LiveTask(claimed, self._engine_task(claimed, session), self._store, self._clock)
        # Known before it is claimed: a stop that sees the claim must find the task here.
        self._live[task_id] = live
        ended = self._ended[task_id] = asyncio.Event()
        try:
            if await self._written(Append(record.session_id, task=claimed, expect=(still(record),)), live):
                await self._attend(live, session)
        except TaskMoved:
            log.info("task was stopped before it began", extra={"task_id": task_id})
        finally:
            del self._live[task_id], self._ended[task_id]
            ended.set()

    async def _attend(self, live: LiveTask, session: SessionRecord | None) -> None:
        if self._draining:
            live.ask_to_stop(Reason.SHUTDOWN)
        began = self._clock.monotonic()
        timeout_s = self._timeout_of(live.record)
        timer = None
        if timeout_s:
            timer = asyncio.get_running_loop().call_later(timeout_s, live.ask_to_stop, Reason.TIMED_OUT)
        try:
            outcome = await self._outcome_of(live)
        except TaskMoved:
            log.warning("task was taken over by another worker", extra={"task_id": live.record.task_id})
            return
        finally:
            if timer is not None:
                timer.cancel()
        if live.reason is Reason.SHUTDOWN and outcome.stopped:
            return  # not over: the next start ends it as interrupted
        duration_ms = round((self._clock.monotonic() - began) * 1000)
        await self._end(live, judged(outcome, live.reason, timeout_s, self._language), duration_ms, session)

    async def _outcome_of(self, live: LiveTask) -> Outcome:
        if live.stop.is_set():
            return Outcome(message=messages.ENDED[TaskStatus.CANCELLED].say(self._language), stopped=True)
        try:
            return await self._engines[live.record.engine].run(live)
        except TaskMoved:
            raise
        except Exception:  # the engine broke, by a fault of ours: the task must still reach its end
            reference = uuid4().hex[:12]
            log.exception("task broke", extra={"task_id": live.record.task_id, "reference": reference})
            sentence = messages.BROKE.say(self._language, reference=reference)
            return Outcome(message=sentence, failure=Failure.ENGINE_FAILED)

    async def _end(self, live: LiveTask, outcome: Outcome, duration_ms: int, session: SessionRecord | None) -> None:
        step = end_of_task(
            live.record,
            outcome,
            live.work,
            now=timestamp(self._clock.now()),
            duration_ms=duration_ms,
            language=self._language,
            session=session,
        )
        with suppress(TaskMoved):
            await self._written(step, live)

    async def _written(self, step: Append, live: LiveTask) -> bool:
        """Write what must be written, as soon as that is possible; False if the server goes first."""
        while True:
            try:
                await self._store.append(step)
            except StoreUnavailable as problem:
                log.error("a task cannot be written yet: %s", problem, extra={"task_id": live.record.task_id})
                if self._draining:
                    return False
                await asyncio.sleep(_RETRY_S)
            else:
                return True

    # --- from the doors

    async def stop(self, task_id: str) -> None:
        """Returns when the task has ended and nothing of it runs; at once if it had ended."""
        while (record := await self._store.task(task_id)) is not None and not record.status.ended:
            live = self._live.get(task_id)
            if live is not None:
                ended = self._ended[task_id]
                live.ask_to_stop(Reason.CANCELLED)
                await ended.wait()
                continue
            if record.status is not QUEUED:
                return  # no longer here, and its end not written: the next start writes it
            outcome = Outcome(message=messages.ENDED[TaskStatus.CANCELLED].say(self._language), stopped=True)
            step = end_of_task(
                record, outcome, Work(), now=timestamp(self._clock.now()), duration_ms=0, language=self._language
            )
            try:
                await self._store.append(step)
            except TaskMoved:
                continue  # it was claimed at this very moment
            return

    async def wait_end(self, task_id: str) -> None:
        """Returns when a task that runs here is over; at once if none does."""
        if (ended := self._ended.get(task_id)) is not None:
            await ended.wait()

    def shut_down(self) -> None:
        """Claim nothing more, and tell all that runs to stop, without an end."""
        self._draining = True
        for live in self._live.values():
            live.ask_to_stop(Reason.SHUTDOWN)

    def state(self, record: TaskRecord) -> TaskState:
        live = self._live.get(record.task_id)
        since = live.stalled_since() if live is not None and record.status is TaskStatus.RUNNING else None
        return TaskState(
            task_id=record.task_id,
            session_id=record.session_id,
            status=record.status,
            engine=record.engine,
            working_dir=record.working_dir,
            created_at=record.created_at,
            started_at=record.started_at,
            ended_at=record.ended_at,
            offline=record.offline,
            stalled=None if since is None else {"since": since},
            result=record.result,
        )

    # --- small parts

    def _timeout_of(self, record: TaskRecord) -> float:
        own = record.request.get("timeout_s")
        if own is None:
            return self._timeout_s
        return min(float(own), self._timeout_s) if self._timeout_s else float(own)

    def _engine_task(self, record: TaskRecord, session: SessionRecord | None) -> EngineTask:
        request = record.request
        tools = request["tools"]
        return EngineTask(
            task_id=record.task_id,
            session_id=record.session_id,
            prompt=request["prompt"],
            working_dir=record.working_dir,
            tools=None if tools is None else tuple(tools),
            tools_bound=self._tools_bound,
            permission_mode=request["permission_mode"],
            model=request["model"],
            max_turns=request["max_turns"],
            deltas=record.deltas,
            offline=record.offline,
            engine_state={} if session is None else session.engine_state,
        )
