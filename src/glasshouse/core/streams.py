"""Reading the log and then listening, with no event lost and none twice between the two."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from glasshouse.contract.errors import PositionGone, PositionInvalid
from glasshouse.core.ports import Bounds, Frame, Lagged, Store, TaskRecord

PAGE = 500


async def tail(
    store: Store, session_id: str, *, after: int, task_id: str | None = None
) -> AsyncGenerator[Sequence[Frame], None]:
    """Durable frames after the number, live ones from now on, until the server hangs up (Closed) or the reader falls
    behind (Lagged); of one task only if it is named."""
    subscription = store.subscribe(session_id)
    try:
        position = after
        while page := await store.read(session_id, after=position, limit=PAGE, task_id=task_id):
            yield page
            position = page[-1].seq or position
        while True:
            frames = _beyond(position, await subscription.next())
            position = _reached(frames, position)
            mine = frames if task_id is None else [frame for frame in frames if frame.task_id == task_id]
            if mine:
                yield mine
    finally:
        subscription.close()


def _beyond(position: int, frames: Sequence[Frame]) -> Sequence[Frame]:
    """What comes after the frames that the reader has. Live frames before them belong to what it has, too."""
    first = next((frame.seq for frame in frames if frame.seq is not None), None)
    if first is None or first > position:
        return frames
    for index in range(len(frames) - 1, -1, -1):
        seq = frames[index].seq
        if seq is not None and seq <= position:
            return frames[index + 1 :]
    return frames


def _reached(frames: Sequence[Frame], position: int) -> int:
    """The number of the last durable frame: a reader who has these stands there."""
    return next((frame.seq for frame in reversed(frames) if frame.seq is not None), position)


async def follow_task(store: Store, record: TaskRecord, *, after: int) -> AsyncGenerator[Sequence[Frame], None]:
    """A task's own frames to its end; who falls behind is served from the log. Raises Closed when the server goes."""
    position = after
    while True:
        try:
            async with aclosing(tail(store, record.session_id, after=position, task_id=record.task_id)) as batches:
                async for frames in batches:
                    yield frames
                    position = _reached(frames, position)
                    if frames[-1].ends_task:
                        return
        except Lagged:
            continue


def start_of(record: TaskRecord) -> int:
    """The position before the task's first event."""
    return (record.first_seq or 1) - 1


def checked_position(record: TaskRecord, bounds: Bounds, given: int | None) -> int:
    """Where a reader of the task goes on from the position that it names. Raises PositionInvalid or PositionGone."""
    if given is not None and not 0 <= given <= bounds.last:
        raise PositionInvalid(str(given))
    position = max(given or 0, start_of(record))
    if position + 1 < bounds.first:
        raise PositionGone
    return position


def is_at_end(record: TaskRecord, position: int) -> bool:
    """Whether a reader at the position has the task's last event."""
    return record.status.ended and record.last_seq is not None and position >= record.last_seq
