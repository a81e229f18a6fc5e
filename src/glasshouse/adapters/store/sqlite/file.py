"""The database's file: made whole or not at all, checked before it is used, and refused rather than replaced."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import apsw

from glasshouse.adapters.store.sqlite.schema import STEPS
from glasshouse.core.ports import StoreUnusable

# Older ones can corrupt a database when one connection commits while another checkpoints.
OLDEST_SQLITE = (3, 51, 3)
# "GLAS": `file` and other programs can tell whose it is.
APPLICATION_ID = 0x474C4153
_BUSY_MS = 10_000
_BUSY_AT_THE_END_MS = 500


class DatabaseFile:
    def __init__(self, path: Path, steps: Sequence[str] = STEPS) -> None:
        self.path = path
        self._steps = steps
        self._wal = Path(f"{path}-wal")
        # There from the first commit to a clean end: who finds it without the log of commits knows that that was lost.
        self._in_use = Path(f"{path}-in-use")

    def open(self) -> apsw.Connection:
        """The connection that writes. Raises StoreUnusable, and then nothing was changed."""
        version = apsw.sqlite_lib_version()
        if tuple(map(int, version.split("."))) < OLDEST_SQLITE:
            raise StoreUnusable(f"SQLite {version} is too old: from 3.51.3 on it is safe")
        with self._trouble_named():
            if not self.path.exists():
                self._make()
            return self._open_existing()

    def connect(self, *, to_write: bool = False) -> apsw.Connection:
        flags = apsw.SQLITE_OPEN_READWRITE if to_write else apsw.SQLITE_OPEN_READONLY
        connection = apsw.Connection(str(self.path), flags=flags)
        connection.set_busy_timeout(_BUSY_MS)
        # A file that shrinks under a mapping ends the process; a read that fails is only an error.
        connection.pragma("mmap_size", 0)
        return connection

    def close(self, connection: apsw.Connection) -> None:
        """The last connection goes."""
        with closing(connection), suppress(apsw.Error):
            # Where this fails the mark stays, and the next start looks more closely.
            connection.set_busy_timeout(_BUSY_AT_THE_END_MS)
            connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
            self._in_use.unlink(missing_ok=True)

    def _make(self) -> None:
        for trace in (self._wal, self._in_use):
            if trace.exists():
                raise StoreUnusable(f"{self.path} is missing, but it was in use: {trace} is still there")
        self.path.parent.mkdir(mode=0o700, exist_ok=True)
        unfinished = Path(f"{self.path}.new")
        unfinished.unlink(missing_ok=True)
        unfinished.touch(mode=0o600)
        with closing(apsw.Connection(str(unfinished))) as connection:
            connection.pragma("application_id", APPLICATION_ID)
            self._migrate(connection, 0)
            connection.pragma("journal_mode", "wal")
        unfinished.rename(self.path)

    def _open_existing(self) -> apsw.Connection:
        crashed = self._in_use.exists()
        if crashed and not self._wal.exists():
            raise StoreUnusable(
                f"{self._wal} is missing: the server did not stop cleanly, and its newest events were in that file. "
                f"Put it back; or, to go on without them (or if another program opened the database since, and so "
                f"moved them into it), delete {self._in_use}"
            )
        connection = self.connect(to_write=True)
        try:
            # What is refused stays as it was found: its last connection must not move the log into it.
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            self._check(connection, whole=crashed)
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
            version = connection.pragma("user_version")
            if version < len(self._steps):
                self._back_up(version)
                self._migrate(connection, version)
            self._in_use.touch(mode=0o600)
        except BaseException:
            connection.close()
            raise
        return connection

    def _check(self, connection: apsw.Connection, *, whole: bool) -> None:
        if connection.pragma("application_id") != APPLICATION_ID:
            raise StoreUnusable(f"{self.path} is not a database of Glasshouse")
        version = connection.pragma("user_version")
        if not 1 <= version <= len(self._steps):
            raise StoreUnusable(
                f"{self.path} was written by a newer Glasshouse (its version is {version}; "
                f"this one knows {len(self._steps)})"
            )
        if connection.readonly("main"):
            raise StoreUnusable(f"{self.path} cannot be written")
        if whole and (fault := connection.execute("PRAGMA quick_check(1)").get) != "ok":
            raise StoreUnusable(f"{self.path} is damaged: {fault}")
        if connection.pragma("journal_mode", "wal") != "wal":
            raise StoreUnusable(f"{self.path} cannot keep a write-ahead log; it needs a local disk")

    def _migrate(self, connection: apsw.Connection, version: int) -> None:
        for number, step in enumerate(self._steps[version:], version + 1):
            with connection:
                connection.execute(step)
                connection.pragma("user_version", number)

    def _back_up(self, version: int) -> None:
        backup = Path(f"{self.path}.version-{version}")
        unfinished = Path(f"{backup}.new")
        unfinished.unlink(missing_ok=True)
        unfinished.touch(mode=0o600)
        with (
            closing(self.connect()) as source,
            closing(apsw.Connection(str(unfinished))) as target,
            target.backup("main", source, "main") as copying,
        ):
            copying.step()
        unfinished.replace(backup)

    @contextmanager
    def _trouble_named(self) -> Iterator[None]:
        try:
            yield
        except (apsw.CorruptError, apsw.NotADBError) as damage:
            raise StoreUnusable(f"{self.path} is damaged or not a database: {damage}") from damage
        except (apsw.Error, OSError) as problem:
            raise StoreUnusable(f"{self.path} cannot be used: {problem}") from problem
