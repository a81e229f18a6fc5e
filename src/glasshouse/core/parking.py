"""Tasks that a limit keeps from going on: parked without a process, until it lifts or a person has them go on.

A limit lifts at a moment of the provider's, so this is told by the wall clock, and also while no server runs. Where
nobody knows the moment it is tried again after a minute, then after two, four, up to an hour.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from glasshouse.contract.errors import TaskNotFound
from glasshouse.contract.events import Info
from glasshouse.contract.phrase import Language
from glasshouse.contract.task import Parked
from glasshouse.core import messages
from glasshouse.core.encoding import entry_of
from glasshouse.core.ending import figures_of
from glasshouse.core.lifecycle import PARKED, at_work, moved, still
from glasshouse.core.ports import (
    Append,
    Clock,
    Entry,
    LimitHit,
    Outcome,
    SessionRecord,
    Store,
    TaskMoved,
    TaskQueue,
    TaskRecord,
)
from glasshouse.core.times import timestamp

_FIRST_WAIT = timedelta(minutes=1)
_LONGEST_WAIT = timedelta(hours=1)


class Parking:
    def __init__(self, *, store: Store, queue: TaskQueue, clock: Clock, language: Language) -> None:
        self._store = store
        self._queue = queue
        self._clock = clock
        self._language: Language = language

    def is_asked_for(self, record: TaskRecord, outcome: Outcome) -> bool:
        return outcome.limit is not None and record.request.get("on_limit") is not None

    def step(
        self, record: TaskRecord, limit: LimitHit, outcome: Outcome, worked_ms: int, session: SessionRecord | None
    ) -> Append:
        """The task as parked; the claim in force only may write it."""
        now = self._clock.now()
        # What was answered meanwhile shows that trying was not in vain.
        in_vain = record.parked is not None and (outcome.cost_usd or 0) <= (record.figures.cost_usd or 0)
        attempt = record.parked.attempt + 1 if in_vain and record.parked is not None else 1
        resumes = record.request["on_limit"] == "resume"
        until = _try_at(limit, attempt, now) if resumes else limit.lifts_at
        parked = Parked(
            until=None if until is None else timestamp(until),
            reason=limit.kind,
            since=timestamp(now),
            resumes=resumes,
            attempt=attempt,
        )
        if session is not None:
            session = None if outcome.engine_state is None else replace(session, engine_state=outcome.engine_state)
        figures = figures_of(outcome, record.figures)
        return Append(
            record.session_id,
            entries=(self._told(record, messages.parked(parked, self._language), "parked", parked),),
            task=moved(record, PARKED, parked=parked, worked_ms=worked_ms, figures=figures),
            session=session,
            expect=(at_work(record),),
        )

    def taken_up(self, record: TaskRecord) -> Sequence[Entry]:
        """What a stream tells of it, with the claim."""
        if record.status is not PARKED:
            return ()
        return (self._told(record, messages.GOES_ON.say(self._language), "unparked", None),)

    def is_due(self, record: TaskRecord) -> bool:
        parked = record.parked
        if parked is None or not parked.resumes or parked.until is None:
            return False
        return datetime.fromisoformat(parked.until) <= self._clock.now()

    async def take_up_due(self) -> None:
        for record in await self._store.tasks(statuses=frozenset({PARKED})):
            if self.is_due(record):
                await self._queue.put(record)

    async def go_on(self, task_id: str) -> TaskRecord:
        """A person has it go on now. One that is not parked stays as it is. Raises TaskNotFound."""
        while True:
            record = await self._store.task(task_id)
            if record is None:
                raise TaskNotFound
            if record.status is not PARKED or record.parked is None:
                return record
            now = timestamp(self._clock.now())
            told = replace(record, parked=record.parked.model_copy(update={"until": now, "resumes": True}))
            try:
                await self._store.append(Append(record.session_id, task=told, expect=(still(record),), by_person=True))
            except TaskMoved:
                continue  # it was taken up, or stopped, at this very moment
            await self._queue.put(told)
            return told

    def _told(self, record: TaskRecord, content: str, notice: str, parked: Parked | None) -> Entry:
        metadata = {"notice": notice, **({} if parked is None else parked.model_dump(mode="json"))}
        return entry_of(
            Info(
                content=content,
                timestamp=timestamp(self._clock.now()),
                session_id=record.session_id,
                task_id=record.task_id,
                metadata=metadata,
            )
        )


def _try_at(limit: LimitHit, attempt: int, now: datetime) -> datetime:
    wait: timedelta = min(_FIRST_WAIT * 2 ** min(attempt - 1, 10), _LONGEST_WAIT)
    if limit.lifts_at is None:
        return now + wait
    # One that should have lifted already, or did not when it should have, is tried like an unknown one.
    return limit.lifts_at if attempt == 1 and limit.lifts_at > now else max(limit.lifts_at, now + wait)
