"""What a start does about the tasks that an earlier server left: none is run again by itself, none is left open.

One that waits for a person waits on. One that was answered, and may not have heard of it, is told.
"""

from collections.abc import Mapping

from glasshouse.contract.phrase import Language
from glasshouse.contract.question import QuestionState
from glasshouse.contract.task import TaskStatus
from glasshouse.core import messages
from glasshouse.core.ending import end_of_task
from glasshouse.core.instructions import Instructions
from glasshouse.core.lifecycle import PARKED, QUEUED, RUNNING, WAITING, moved, still
from glasshouse.core.ports import AnsweredBy, Append, Clock, Engine, Outcome, Store, TaskQueue, TaskRecord
from glasshouse.core.times import timestamp
from glasshouse.core.work import work_of


async def recover(
    *,
    store: Store,
    queue: TaskQueue,
    engines: Mapping[str, Engine],
    instructions: Instructions,
    clock: Clock,
    language: Language,
) -> int:
    """End what was running as interrupted (its processes are gone already), line up again what waits."""
    interrupted = 0
    for record in await store.tasks(statuses=frozenset({RUNNING})):
        if await _is_owed_an_answer(store, record):
            await store.append(Append(record.session_id, task=moved(record, WAITING), expect=(still(record),)))
            continue
        interrupted += 1
        outcome = Outcome(message=messages.ENDED[TaskStatus.INTERRUPTED].say(language))
        refused = await instructions.at_end(record, TaskStatus.INTERRUPTED, engines[record.engine])
        await store.append(
            end_of_task(
                record,
                outcome,
                await work_of(store, record),
                now=timestamp(clock.now()),
                duration_ms=None,
                language=language,
                instructions=refused,
                changes=instructions.events(refused),
                status=TaskStatus.INTERRUPTED,
            )
        )
    # Those that wait, or are parked, keep their place in their lines; those that were answered meanwhile go on.
    for record in await store.tasks(statuses=frozenset({WAITING, PARKED, QUEUED})):
        await queue.put(record)
    return interrupted


async def _is_owed_an_answer(store: Store, record: TaskRecord) -> bool:
    """Whether a question of the task waits, or was settled and the log does not say how its agent was told."""
    found, _ = await store.questions(
        states=frozenset(QuestionState), session_id=record.session_id, task_id=record.task_id, limit=10_000
    )
    return any(each.way is None and each.answered_by is not AnsweredBy.LIMIT for each in found)
