"""Waiting for a task's end or for answers, wherever they happen."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from glasshouse.contract.question import QuestionState
from glasshouse.core.ports import Call, Closed, Lagged, QuestionRecord, Store, TaskRecord


async def until_ended(store: Store, record: TaskRecord) -> TaskRecord:
    """The task's record once it has ended. Raises Closed when the server goes."""
    changes = store.subscribe_tasks()
    try:
        while True:
            current = await store.task(record.task_id)
            if current is None or current.status.ended:
                return current or record
            try:
                while not any(change.task_id == record.task_id for change in await changes.next()):
                    pass
            except Lagged:
                changes.close()
                changes = store.subscribe_tasks()
    finally:
        changes.close()


async def until_settled(store: Store, session_id: str, call_id: str) -> Call:
    """The asking call once nothing of it waits. Raises Closed when the server goes."""
    async with aclosing(_looks_at_call(store, session_id, call_id)) as looks:
        async for _ in looks:
            call = Call(call_id, await store.questions_of_call(session_id, call_id))
            if call.records and call.is_settled:
                return call
    raise Closed


async def until_answered(store: Store, record: QuestionRecord) -> QuestionRecord:
    """The question once it no longer waits. Raises Closed when the server goes."""
    async with aclosing(_looks_at_call(store, record.session_id, record.call_id)) as looks:
        async for _ in looks:
            current = await store.question(record.session_id, record.question_id) or record
            if current.state is not QuestionState.PENDING:
                return current
    raise Closed


async def _looks_at_call(store: Store, session_id: str, call_id: str) -> AsyncGenerator[None, None]:
    """Now, and whenever something of the call has changed."""
    changes = store.subscribe_questions()
    try:
        while True:
            yield
            try:
                while not any(
                    change.session_id == session_id and change.call_id == call_id for change in await changes.next()
                ):
                    pass
            except Lagged:
                changes.close()
                changes = store.subscribe_questions()
    finally:
        changes.close()
