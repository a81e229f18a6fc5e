"""The thread that moves the write-ahead log into the file, so that the writer need not."""

import logging
import threading

import apsw

log = logging.getLogger(__name__)

# In pages of 4 KB: how much is worth moving, and how long the log may be before the writer lends a hand. A checkpoint
# has the disk write for good, and on a busy one all that is written meanwhile waits for it: so not often.
EVERY = 4_096
LONG = 16_384
_KEPT_BYTES = 2 * LONG * 4096
_AFTER_TROUBLE_S = 1.0


class Checkpoints:
    def __init__(self, writer: apsw.Connection, own: apsw.Connection) -> None:
        self._writer = writer
        self._own = own
        # A connection that has read nothing knows of no log, and its checkpoints do nothing.
        own.pragma("user_version")
        self._moved = 0
        self._due = threading.Event()
        self._ending = threading.Event()
        self._too_long = threading.Event()
        self._thread = threading.Thread(target=self._run, name="glasshouse-checkpoints", daemon=True)
        # This takes the place of SQLite's own checkpoints, which run in the thread that commits.
        writer.set_wal_hook(self._committed)
        # A log that was moved starts from its front again, in the same file; what that has beyond this is given back.
        writer.pragma("journal_size_limit", _KEPT_BYTES)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._ending.set()
        self._due.set()
        self._thread.join()
        self._own.close()

    def between_commits(self) -> None:
        """In the writer's thread. A writer that never rests adds to the log while it is moved, which so is never
        moved whole and never starts anew: once it is long, the writer moves the rest, which is little, itself."""
        if self._too_long.is_set():
            try:
                self._move(self._writer)
            except apsw.Error as trouble:
                log.warning("checkpoint failed: %s", trouble)
            self._too_long.clear()

    def _committed(self, _connection: apsw.Connection, _name: str, pages: int) -> int:
        if pages < self._moved:
            self._moved = 0
        if pages - self._moved >= EVERY:
            self._due.set()
        return apsw.SQLITE_OK

    def _run(self) -> None:
        while self._due.wait() and not self._ending.is_set():
            self._due.clear()
            if self._too_long.is_set():
                continue  # It is the writer's turn.
            try:
                if self._move(self._own) > LONG:
                    self._too_long.set()
            except apsw.Error as trouble:
                # Nothing is lost by it: the log grows until there is room again.
                log.warning("checkpoint failed: %s", trouble)
                self._ending.wait(_AFTER_TROUBLE_S)

    def _move(self, connection: apsw.Connection) -> int:
        """The length of the log. PASSIVE waits for nobody, and nobody waits for it."""
        pages, self._moved = connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        return pages
