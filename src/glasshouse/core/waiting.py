"""Waiting for a task's end, wherever it runs."""

from glasshouse.core.ports import Lagged, Store, TaskRecord


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
