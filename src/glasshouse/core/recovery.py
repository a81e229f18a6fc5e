"""What a start does about the tasks that an earlier server left: none is run again by itself, none is left open."""

from glasshouse.contract.events import any_event
from glasshouse.contract.phrase import Language
from glasshouse.contract.task import TaskStatus
from glasshouse.core import messages
from glasshouse.core.ending import end_of_task
from glasshouse.core.lifecycle import QUEUED, RUNNING
from glasshouse.core.ports import Clock, Outcome, Store, TaskQueue, TaskRecord
from glasshouse.core.streams import PAGE, start_of
from glasshouse.core.times import timestamp
from glasshouse.core.work import Work


async def recover(*, store: Store, queue: TaskQueue, clock: Clock, language: Language) -> int:
    """End what was running as interrupted (its processes are gone already), queue again what was queued."""
    running = await store.tasks(statuses=frozenset({RUNNING}))
    for record in running:
        outcome = Outcome(message=messages.ENDED[TaskStatus.INTERRUPTED].say(language))
        await store.append(
            end_of_task(
                record,
                outcome,
                await _work_of(store, record),
                now=timestamp(clock.now()),
                duration_ms=None,
                language=language,
                status=TaskStatus.INTERRUPTED,
            )
        )
    for record in await store.tasks(statuses=frozenset({QUEUED})):
        await queue.put(record)
    return len(running)


async def _work_of(store: Store, record: TaskRecord) -> Work:
    work = Work()
    position = start_of(record)
    while page := await store.read(record.session_id, after=position, limit=PAGE, task_id=record.task_id):
        for frame in page:
            work.see(any_event.validate_json(frame.body))
        position = page[-1].seq or position
    return work
