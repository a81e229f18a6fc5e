"""Doing admitted tasks: claim, run the engine, write the one end. Every task reaches exactly one."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from uuid import uuid4

from glasshouse.contract.events import DurableEvent
from glasshouse.contract.instruction import ReceiptState
from glasshouse.contract.phrase import Language
from glasshouse.contract.question import QuestionState
from glasshouse.contract.task import Failure, TaskState, TaskStatus, Waiting
from glasshouse.core import messages
from glasshouse.core.attachments import attached
from glasshouse.core.encoding import entry_of
from glasshouse.core.ending import end_of_task, figures_of, judged, status_of
from glasshouse.core.forking import lineage
from glasshouse.core.instructions import Instructions, Setting
from glasshouse.core.lifecycle import PARKED, QUEUED, WAITING, at_work, moved, still
from glasshouse.core.live import LiveTask, Reason
from glasshouse.core.parking import Parking
from glasshouse.core.ports import (
    Append,
    Attachments,
    Clock,
    Engine,
    EngineTask,
    InstructionRecord,
    InstructionsMoved,
    Outcome,
    QuestionRecord,
    QuestionSettled,
    SessionRecord,
    Store,
    StoreUnavailable,
    TaskMoved,
    TaskQueue,
    TaskRecord,
    WorkingTrees,
)
from glasshouse.core.questions.desk import Desk
from glasshouse.core.questions.forms import templates_of
from glasshouse.core.times import timestamp
from glasshouse.core.work import Work, work_of
from glasshouse.core.workplaces import Workplaces

log = logging.getLogger(__name__)

_RETRY_S = 1.0
_LIMIT_SEEN_EVERY_S = 1.0


class Execution:
    def __init__(
        self,
        *,
        store: Store,
        engines: Mapping[str, Engine],
        clock: Clock,
        language: Language,
        desk: Desk,
        instructions: Instructions,
        queue: TaskQueue,
        trees: WorkingTrees,
        workplaces: Workplaces,
        attachments: Attachments,
        timeout_s: float,
        tools_bound: tuple[str, ...] | None,
    ) -> None:
        """`timeout_s` is the default of a task's own and its upper bound; 0 is none."""
        self._store = store
        self._engines = engines
        self._clock = clock
        self._language: Language = language
        self._desk = desk
        self._attachments = attachments
        self._instructions = instructions
        self._queue = queue
        self._trees = trees
        self._workplaces = workplaces
        self._timeout_s = timeout_s
        self._tools_bound = tools_bound
        self.parking = Parking(store=store, queue=queue, clock=clock, language=language)
        self._live: dict[str, LiveTask] = {}
        self._left: dict[str, asyncio.Event] = {}
        self._draining = False

    # --- from the queue

    async def run(self, task_id: str) -> bool:
        """Take the task up, for the first time or again; whether it is over. Raises what the store raises."""
        record = await self._store.task(task_id)
        if record is None or record.status.ended:
            return True
        if await self._is_ended_by_answers(record):
            return True
        if self._draining or not await self._can_go_on(record):
            return False
        async with self._workplaces.at_work(record.working_dir):
            return await self._take_up(record)

    async def _take_up(self, record: TaskRecord) -> bool:
        task_id = record.task_id
        session, (setting, changes) = await asyncio.gather(
            self._store.session(record.session_id), self._instructions.taken_up(record)
        )
        claimed = moved(
            record,
            TaskStatus.RUNNING,
            generation=record.generation + 1,
            started_at=record.started_at or timestamp(self._clock.now()),
        )
        live = LiveTask(
            claimed,
            self._engine_task(claimed, session, setting, await lineage(self._store, record.session_id)),
            store=self._store,
            clock=self._clock,
            desk=self._desk,
            instructions=self._instructions,
            work=Work() if record.status is QUEUED else await work_of(self._store, record),
        )
        # Known before it is claimed: a stop that sees the claim must find the task here.
        self._live[task_id] = live
        left = self._left[task_id] = asyncio.Event()
        try:
            told = self._instructions.events(changes)
            claim = Append(
                record.session_id,
                entries=[*self.parking.taken_up(record), *(entry_of(event) for event in told)],
                task=claimed,
                instructions=changes,
                expect=(still(record),),
            )
            return await self._written(claim, live) and await self._attend(live, session)
        except TaskMoved:
            log.info("task was stopped before it was taken up", extra={"task_id": task_id})
            return True
        finally:
            del self._live[task_id], self._left[task_id]
            left.set()

    async def _can_go_on(self, record: TaskRecord) -> bool:
        if record.status is PARKED:
            return self.parking.is_due(record)
        if record.status is not WAITING:
            return record.status is QUEUED
        return not await self._desk.pending(record, limit=1)

    async def _is_ended_by_answers(self, record: TaskRecord) -> bool:
        """A task that is not to go on has its end, which the server that took the answer may not have come to write."""
        if record.status is not WAITING:
            return False
        found, _ = await self._store.questions(
            states=frozenset({QuestionState.TIMEOUT, QuestionState.CANCELLED}),
            session_id=record.session_id,
            task_id=record.task_id,
            limit=1000,
        )
        if any(each.state is QuestionState.TIMEOUT for each in found):
            await self.fail_unanswered(record.task_id)
        elif any(each.ends_task for each in found):
            await self.stop(record.task_id)
        else:
            return False
        return True

    async def _attend(self, live: LiveTask, session: SessionRecord | None) -> bool:
        if self._draining:
            live.ask_to_stop(Reason.SHUTDOWN)
        timeout_s = self._timeout_of(live.record)
        limit = asyncio.create_task(_limit(live, timeout_s)) if timeout_s else None
        unserved: frozenset[str] = frozenset()
        try:
            while True:
                outcome = await self._outcome_of(live)
                worked_ms = round(live.worked_s() * 1000)
                if outcome.waiting:
                    return await self._leave_waiting(live, outcome, worked_ms, session)
                if self.parking.is_asked_for(live.record, outcome) and live.reason is None:
                    if await self._desk.pending(live.record, limit=1):
                        return await self._leave_waiting(live, outcome, worked_ms, session)
                    return await self._park(live, outcome, worked_ms, session)
                if live.reason is Reason.SHUTDOWN and outcome.stopped:
                    return False  # not over: the next start ends it as interrupted, or lets it wait on
                outcome = judged(outcome, live.reason, timeout_s, self._language)
                unserved = await self._end(live, outcome, worked_ms, session, given_up=unserved)
                if not unserved:
                    return True
                # Said while its process was leaving.
                kept = outcome.engine_state or live.task.engine_state
                live.figures = figures_of(outcome, live.figures)
                live.task = replace(live.task, continued=True, engine_state=kept, figures=live.figures)
        except TaskMoved:
            log.warning("task was taken over by another worker", extra={"task_id": live.record.task_id})
            return True
        finally:
            if limit is not None:
                limit.cancel()

    async def _leave_waiting(
        self, live: LiveTask, outcome: Outcome, worked_ms: int, session: SessionRecord | None
    ) -> bool:
        """No process is left; what the engine wants to know again is kept, and whether it can go on at once is seen."""
        current = await self._store.task(live.record.task_id) or live.record
        remembered = None
        if session is not None and outcome.engine_state is not None:
            remembered = replace(session, engine_state=outcome.engine_state)
        step = Append(
            live.record.session_id,
            task=replace(
                current,
                status=WAITING,
                worked_ms=worked_ms,
                figures=figures_of(outcome, live.figures),
            ),
            session=remembered,
            expect=(at_work(live.record),),
        )
        with suppress(TaskMoved):
            await self._written(step, live)
        if await self._can_go_on(replace(current, status=WAITING)):
            await self._queue.put(current)
        return False

    async def _park(self, live: LiveTask, outcome: Outcome, worked_ms: int, session: SessionRecord | None) -> bool:
        assert outcome.limit is not None
        with suppress(TaskMoved):
            step = self.parking.step(live.record, outcome.limit, outcome, worked_ms, session)
            await self._written(step, live)
        return False

    async def _outcome_of(self, live: LiveTask) -> Outcome:
        if live.stop.is_set():
            return Outcome(message=messages.ENDED[TaskStatus.CANCELLED].say(self._language), stopped=True)
        live.prepare(self._trees.remember(live.record.session_id, live.record.working_dir))
        try:
            return await self._engines[live.record.engine].run(live)
        except TaskMoved:
            raise
        except Exception:  # the engine broke, by a fault of ours: the task must still reach its end
            reference = uuid4().hex[:12]
            log.exception("task broke", extra={"task_id": live.record.task_id, "reference": reference})
            sentence = messages.BROKE.say(self._language, reference=reference)
            return Outcome(message=sentence, failure=Failure.ENGINE_FAILED)
        finally:
            await live.leave_preparing()

    async def _end(
        self,
        live: LiveTask,
        outcome: Outcome,
        duration_ms: int,
        session: SessionRecord | None,
        *,
        given_up: frozenset[str],
    ) -> frozenset[str]:
        """Write it; not if the task was done and a message waits that was not `given_up`: these are returned then."""
        status = status_of(outcome)
        while True:
            instructions = await self._instructions.at_end(live.record, status, self._engines[live.record.engine])
            unserved = _unserved(instructions)
            if status is TaskStatus.COMPLETED and not live.stop.is_set() and unserved - given_up:
                return unserved
            questions = self._desk.taken_along(await self._desk.pending(live.record))
            step = end_of_task(
                replace(live.record, figures=live.figures),
                outcome,
                live.work,
                now=timestamp(self._clock.now()),
                duration_ms=duration_ms,
                language=self._language,
                session=session,
                questions=questions,
                instructions=instructions,
                changes=self._changes(questions, instructions),
            )
            try:
                await self._written(step, live)
            except (QuestionSettled, InstructionsMoved):
                continue  # answered, or said, at this very moment
            except TaskMoved:
                pass
            return frozenset()

    def _changes(
        self, questions: Sequence[QuestionRecord], instructions: Sequence[InstructionRecord]
    ) -> Sequence[DurableEvent]:
        told = [self._desk.change_event(question) for question in questions]
        return [*told, *self._instructions.events(instructions)]

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
        outcome = Outcome(message=messages.ENDED[TaskStatus.CANCELLED].say(self._language), stopped=True)
        await self._finish(task_id, Reason.CANCELLED, outcome)

    async def stop_agent(self, task_id: str, agent_id: str) -> None:
        """Of a task that runs here; of another one there is nothing to stop."""
        live = self._live.get(task_id)
        if live is not None and live.stop_agent is not None:
            await live.stop_agent(agent_id)

    async def fail_unanswered(self, task_id: str) -> None:
        """Nobody answered a question of the task in time."""
        outcome = Outcome(message=messages.UNANSWERED.say(self._language), failure=Failure.TASK_TIMEOUT)
        await self._finish(task_id, Reason.UNANSWERED, outcome)

    async def _finish(self, task_id: str, reason: Reason, outcome: Outcome) -> None:
        """End it here and now, with this outcome if no process has it."""
        while (record := await self._store.task(task_id)) is not None and not record.status.ended:
            live = self._live.get(task_id)
            if live is not None:
                left = self._left[task_id]
                live.ask_to_stop(reason)
                await left.wait()
                if self._draining:
                    return
                continue
            if record.status not in (QUEUED, WAITING, PARKED):
                return  # no longer here, and its end not written: the next start writes it
            questions = self._desk.taken_along(await self._desk.pending(record))
            instructions = await self._instructions.at_end(record, status_of(outcome), self._engines[record.engine])
            step = end_of_task(
                record,
                outcome,
                await work_of(self._store, record),
                now=timestamp(self._clock.now()),
                duration_ms=record.worked_ms,
                language=self._language,
                questions=questions,
                instructions=instructions,
                changes=self._changes(questions, instructions),
            )
            try:
                await self._store.append(step)
            except (TaskMoved, QuestionSettled, InstructionsMoved):
                continue  # it was taken up, or answered, or told something, at this very moment
            # The line that waited behind it goes on.
            await self._queue.put(record)
            return

    async def wait_end(self, task_id: str) -> None:
        """Returns when nothing works at the task here; at once if nothing does."""
        if (left := self._left.get(task_id)) is not None:
            await left.wait()

    def shut_down(self) -> None:
        """Claim nothing more, and tell all that runs to stop, without an end."""
        self._draining = True
        for live in self._live.values():
            live.ask_to_stop(Reason.SHUTDOWN)

    async def state(self, record: TaskRecord) -> TaskState:
        return self.state_with(record, await self._desk.pending(record) if record.status is WAITING else ())

    def state_with(self, record: TaskRecord, pending: Sequence[QuestionRecord]) -> TaskState:
        """`pending`: the task's questions that wait."""
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
            waiting=None if not pending else _waiting(pending),
            parked=record.parked if record.status is PARKED else None,
            cost_usd=record.figures.cost_usd,
            result=record.result,
        )

    # --- small parts

    def _timeout_of(self, record: TaskRecord) -> float:
        own = record.request.get("timeout_s")
        if own is None:
            return self._timeout_s
        return min(float(own), self._timeout_s) if self._timeout_s else float(own)

    def _engine_task(
        self, record: TaskRecord, session: SessionRecord | None, setting: Setting, line: Sequence[str]
    ) -> EngineTask:
        request = record.request
        tools = request["tools"]
        return EngineTask(
            task_id=record.task_id,
            session_id=record.session_id,
            prompt=request["prompt"],
            working_dir=record.working_dir,
            tools=None if tools is None else tuple(tools),
            tools_bound=self._tools_bound,
            permission_mode=setting.permission_mode or request["permission_mode"],
            mode_changed_at=setting.mode_changed_at,
            model=setting.model or request["model"],
            max_turns=request["max_turns"],
            deltas=record.deltas,
            offline=record.offline,
            engine_state={} if session is None else session.engine_state,
            templates=templates_of(request.get("questions", ())),
            prompted=bool(request.get("prompted")),
            continued=record.generation > 1,
            max_budget_usd=request.get("max_budget_usd"),
            attachments=attached(self._attachments, record),
            readable=tuple(self._attachments.path(each) for each in line),
            forked_from=None if session is None else session.forked_from,
            figures=record.figures,
        )


def _waiting(pending: Sequence[QuestionRecord]) -> Waiting:
    return Waiting(question_ids=[each.question_id for each in pending], since=pending[0].asked_at)


def _unserved(instructions: Sequence[InstructionRecord]) -> frozenset[str]:
    """Messages that the agent does not have."""
    refused = [each for each in instructions if each.mode is not None and each.receipt is ReceiptState.REFUSED]
    return frozenset(each.instruction_id for each in refused)


async def _limit(live: LiveTask, timeout_s: float) -> None:
    """Until cancelled; waiting for a person does not count."""
    # There is no one moment to wait for: while a person is waited for, the end moves away.
    while (left_s := timeout_s - live.worked_s()) > 0:  # noqa: ASYNC110
        await asyncio.sleep(min(left_s, _LIMIT_SEEN_EVERY_S))
    live.ask_to_stop(Reason.TIMED_OUT)
