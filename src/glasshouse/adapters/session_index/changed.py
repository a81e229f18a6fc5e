"""Who is told what changed: each listener has the ids that it has not been told of, and each of them once."""

import asyncio
from collections.abc import Mapping

from glasshouse.core.ports import Closed


class Listener:
    def __init__(self, all_of_them: "Listeners") -> None:
        self._all = all_of_them
        self._news: dict[str, str | None] = {}
        self._rung = asyncio.Event()
        self._open = True

    async def next(self) -> Mapping[str, str | None]:
        while not self._news:
            if not self._open:
                raise Closed
            self._rung.clear()
            await self._rung.wait()
        news, self._news = self._news, {}
        return news

    def tell(self, news: Mapping[str, str | None]) -> None:
        # Where it was before the first of several changes.
        self._news = {**news, **self._news}
        self._rung.set()

    def close(self) -> None:
        self._open = False
        self._rung.set()
        self._all.leave(self)


class Listeners:
    def __init__(self) -> None:
        self._listeners: set[Listener] = set()

    def join(self) -> Listener:
        listener = Listener(self)
        self._listeners.add(listener)
        return listener

    def leave(self, listener: Listener) -> None:
        self._listeners.discard(listener)

    def tell(self, news: Mapping[str, str | None]) -> None:
        for listener in self._listeners:
            listener.tell(news)

    def close(self) -> None:
        for listener in list(self._listeners):
            listener.close()
