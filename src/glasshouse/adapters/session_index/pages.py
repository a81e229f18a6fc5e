"""The index's file: opened, or made anew where it is missing, of another version or damaged. One thread writes it."""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import apsw

from glasshouse.adapters.session_index.schema import APPLICATION_ID, SCHEMA, VERSION
from glasshouse.adapters.store.sqlite.readers import Readers

log = logging.getLogger(__name__)

T = TypeVar("T")

_BUSY_MS = 10_000
_CACHE_KIB = 16 * 1024


class Pages:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="glasshouse-index")
        self._connection: apsw.Connection | None = None
        self.readers = Readers(self._connect)

    async def open(self) -> None:
        await self._in_thread(self._open)

    async def write(self, change: Callable[[apsw.Connection], T]) -> T:
        """All of the change or nothing. Raises apsw.Error."""
        return await self._in_thread(lambda: self._write(change))

    async def make_again(self) -> None:
        await asyncio.to_thread(self.readers.close)
        await self._in_thread(self._make_again)
        self.readers = Readers(self._connect)

    async def close(self) -> None:
        await asyncio.to_thread(self.readers.close)
        await self._in_thread(self._close)
        self._thread.shutdown()

    def _in_thread(self, do: Callable[[], T]) -> "asyncio.Future[T]":
        return asyncio.get_running_loop().run_in_executor(self._thread, do)

    def _write(self, change: Callable[[apsw.Connection], T]) -> T:
        assert self._connection is not None
        with self._connection:
            return change(self._connection)
        raise AssertionError("a transaction swallows nothing")

    def _open(self) -> None:
        try:
            self._connection = self._opened()
        except apsw.Error as problem:
            log.warning("the index of sessions is made again: %s", problem)
            self._connection = None
        if self._connection is None:
            self._make_again()

    def _make_again(self) -> None:
        self._close()
        for suffix in ("", "-wal", "-shm"):
            Path(f"{self._path}{suffix}").unlink(missing_ok=True)
        self._connection = self._made()

    def _opened(self) -> apsw.Connection | None:
        if not self._path.exists():
            return None
        crashed = Path(f"{self._path}-wal").exists()
        connection = self._connect(to_write=True)
        fits = connection.pragma("application_id") == APPLICATION_ID and connection.pragma("user_version") == VERSION
        if fits and (not crashed or connection.execute("PRAGMA quick_check(1)").get == "ok"):
            return connection
        connection.close()
        return None

    def _made(self) -> apsw.Connection:
        self._path.touch(mode=0o600)
        connection = self._connect(to_write=True)
        connection.pragma("journal_mode", "wal")
        with connection:
            connection.execute(SCHEMA)
            connection.pragma("application_id", APPLICATION_ID)
            connection.pragma("user_version", VERSION)
        return connection

    def _connect(self, *, to_write: bool = False) -> apsw.Connection:
        flags = apsw.SQLITE_OPEN_READWRITE if to_write else apsw.SQLITE_OPEN_READONLY
        connection = apsw.Connection(str(self._path), flags=flags)
        connection.set_busy_timeout(_BUSY_MS)
        # A file that shrinks under a mapping ends the process; a read that fails is only an error.
        connection.pragma("mmap_size", 0)
        connection.pragma("cache_size", -_CACHE_KIB)
        connection.pragma("synchronous", 1)
        return connection

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
