"""From one commit to many subscribers: one buffer a session, shared; each subscriber is a position in it.

A store calls `deliver` once a batch, in the order of commits, on the event loop. What a subscriber costs is a
number and a wake-up; a slow one costs nothing more, it falls out of the buffer and is told so (`Lagged`).
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from itertools import islice
from typing import Any, Generic, TypeVar

from glasshouse.core.ports import Closed, Frame, Lagged, QuestionRecord, TaskRecord

T = TypeVar("T")

KEPT_FRAMES = 2048
KEPT_BYTES = 8 * 1024 * 1024


class _Topic(Generic[T]):
    """The newest items and where they stand; `start` is the position of the first one kept."""

    def __init__(self) -> None:
        self.items: deque[tuple[T, int]] = deque()
        self.start = 0
        self.bytes = 0
        self.waiters: set[asyncio.Future[None]] = set()
        self.subscribers = 0
        self.closed = False

    @property
    def end(self) -> int:
        return self.start + len(self.items)

    def add(self, items: Sequence[tuple[T, int]]) -> None:
        for item in items:
            self.items.append(item)
            self.bytes += item[1]
        while len(self.items) > KEPT_FRAMES or (self.bytes > KEPT_BYTES and len(self.items) > 1):
            self.bytes -= self.items.popleft()[1]
            self.start += 1
        self.wake()

    def wake(self) -> None:
        waiters, self.waiters = self.waiters, set()
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)

    def since(self, position: int) -> list[T]:
        if position < self.start:
            raise Lagged
        # The tail is what is wanted nearly always: walk from the right end.
        newest_first = [item for item, _ in islice(reversed(self.items), self.end - position)]
        return newest_first[::-1]


class _Subscriber(Generic[T]):
    def __init__(self, fanout: "Fanout", key: str, topic: _Topic[T]) -> None:
        self._fanout = fanout
        self._key = key
        self._topic = topic
        self._position = topic.end
        self._open = True
        topic.subscribers += 1

    async def next(self) -> Sequence[T]:
        topic = self._topic
        while self._position == topic.end:
            if topic.closed or not self._open:
                raise Closed
            waiter = asyncio.get_running_loop().create_future()
            topic.waiters.add(waiter)
            try:
                await waiter
            finally:
                topic.waiters.discard(waiter)
        items = topic.since(self._position)
        self._position = topic.end
        return items

    def close(self) -> None:
        if self._open:
            self._open = False
            self._fanout._leave(self._key, self._topic)


class Fanout:
    def __init__(self) -> None:
        self._frames: dict[str, _Topic[Frame]] = {}
        self._tasks: _Topic[TaskRecord] = _Topic()
        self._questions: _Topic[QuestionRecord] = _Topic()
        self._closed = False

    def listened_to(self, session_id: str) -> bool:
        return session_id in self._frames

    def deliver(self, session_id: str, frames: Sequence[Frame]) -> None:
        topic = self._frames.get(session_id)
        if topic is not None and frames:
            topic.add([(frame, len(frame.body)) for frame in frames])

    def deliver_task(self, record: TaskRecord) -> None:
        if self._tasks.subscribers:
            self._tasks.add([(record, 1)])

    def deliver_questions(self, records: Sequence[QuestionRecord]) -> None:
        if self._questions.subscribers and records:
            self._questions.add([(record, 1) for record in records])

    def subscribe(self, session_id: str) -> _Subscriber[Frame]:
        topic = self._frames.setdefault(session_id, _Topic())
        topic.closed = self._closed
        return _Subscriber(self, session_id, topic)

    def subscribe_tasks(self) -> _Subscriber[TaskRecord]:
        self._tasks.closed = self._closed
        return _Subscriber(self, "*", self._tasks)

    def subscribe_questions(self) -> _Subscriber[QuestionRecord]:
        self._questions.closed = self._closed
        return _Subscriber(self, "*", self._questions)

    def close(self) -> None:
        self._closed = True
        topics: list[_Topic[Any]] = [*self._frames.values(), self._tasks, self._questions]
        for topic in topics:
            topic.closed = True
            topic.wake()

    def _leave(self, key: str, topic: _Topic[Any]) -> None:
        topic.subscribers -= 1
        if topic.subscribers == 0 and self._frames.get(key) is topic:
            del self._frames[key]
