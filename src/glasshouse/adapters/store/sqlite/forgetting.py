"""What is removed of a session when it is forgotten, in portions that do not hold up the writer."""

import apsw

from glasshouse.core.heads import Heads
from glasshouse.core.lifecycle import UNENDED

# In one portion: what takes some ten milliseconds.
_EVENTS_AT_ONCE = 2_000

_STATUSES = ", ".join(f"'{status}'" for status in UNENDED)
# The numbers that were given outlive the events, so a session that was forgotten is in `log` alone.
QUIET_SESSIONS = (
    "SELECT log.session_id FROM log JOIN event ON event.session_id = log.session_id AND event.seq = log.last "
    "WHERE json_extract(CAST(event.body AS TEXT), '$.timestamp') < ?1 "
    f"AND NOT EXISTS (SELECT 1 FROM task WHERE task.session_id = log.session_id AND status IN ({_STATUSES})) "
    "AND NOT EXISTS (SELECT 1 FROM question WHERE question.session_id = log.session_id AND state = 'pending')"
)
_LAST = "SELECT last FROM log WHERE session_id = ?"
_RECORDS = (
    "DELETE FROM span WHERE task_id IN (SELECT task_id FROM task WHERE session_id = ?)",
    "DELETE FROM task WHERE session_id = ?",
    "DELETE FROM question WHERE session_id = ?",
    "DELETE FROM instruction WHERE session_id = ?",
    "DELETE FROM session WHERE session_id = ?",
    "DELETE FROM blob WHERE sha256 IN (SELECT sha256 FROM blob_use AS own WHERE session_id = ?1 AND NOT EXISTS "
    "(SELECT 1 FROM blob_use WHERE sha256 = own.sha256 AND session_id <> ?1))",
    "DELETE FROM blob_use WHERE session_id = ?",
)
# Oldest first: the last event is what the next start finds a session by that was only half forgotten.
_EVENTS = (
    "DELETE FROM event WHERE rowid IN "
    f"(SELECT rowid FROM event WHERE session_id = ? AND seq <= ? ORDER BY seq LIMIT {_EVENTS_AT_ONCE})"
)


def forget_records(cursor: apsw.Cursor, heads: Heads, session_id: str, before: str) -> int:
    """All but the events, if the session is quiet. Returns its last number; 0 if it is not quiet."""
    if not cursor.execute(f"{QUIET_SESSIONS} AND log.session_id = ?2", (before, session_id)).fetchall():
        return 0
    for statement in _RECORDS:
        cursor.execute(statement, (session_id,))
    heads.forget(session_id)
    for (last,) in cursor.execute(_LAST, (session_id,)):
        return int(last)
    return 0


def forget_events(cursor: apsw.Cursor, session_id: str, last: int) -> int:
    """The next portion of the events up to this number. Returns how many went."""
    cursor.execute(_EVENTS, (session_id, last))
    return cursor.connection.changes()
