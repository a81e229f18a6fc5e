"""The store in one SQLite file.

store         what the port promises, put together from the rest
file          the file itself: made, checked, brought to this version; refused where it is not ours to use
schema        what is in it, as steps from one version to the next
writer        the one thread that writes: everything that waits is one commit
batch         what one commit writes
rows          records as rows
readers       threads that read beside the writer
checkpoints   the thread that moves the write-ahead log into the file
"""

from glasshouse.adapters.store.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
