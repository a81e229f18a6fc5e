"""Threads that read beside the writer, each with a connection of its own: never on the event loop."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import apsw

from glasshouse.core.ports import StoreUnavailable

T = TypeVar("T")

_THREADS = 2


class Readers:
    def __init__(self, connect: Callable[[], apsw.Connection]) -> None:
        self._connect = connect
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="glasshouse-reader")
        self._own = threading.local()
        self._connections: list[apsw.Connection] = []

    async def all(self, make: Callable[[tuple[Any, ...]], T], sql: str, *bindings: Any) -> list[T]:
        return await self.do(lambda connection: [make(row) for row in connection.execute(sql, bindings)])

    async def one(self, make: Callable[[tuple[Any, ...]], T], sql: str, *bindings: Any) -> T | None:
        return next(iter(await self.all(make, sql, *bindings)), None)

    async def do(self, read: Callable[[apsw.Connection], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._do, read)

    def close(self) -> None:
        self._pool.shutdown()
        for connection in self._connections:
            connection.close()

    def _do(self, read: Callable[[apsw.Connection], T]) -> T:
        try:
            return read(self._connection())
        except apsw.Error as problem:
            raise StoreUnavailable(str(problem)) from problem

    def _connection(self) -> apsw.Connection:
        if not hasattr(self._own, "connection"):
            self._own.connection = self._connect()
            self._connections.append(self._own.connection)
        connection: apsw.Connection = self._own.connection
        return connection
