"""A transcript's digest as a row of the index, and as a list shows it."""

import re
from datetime import UTC, datetime
from typing import Any

import orjson

from glasshouse.core.ports import SessionSummary
from glasshouse.core.times import timestamp

_COLUMNS = (
    *("path", "offline", "session_id", "dev", "ino", "size", "mtime_ns", "read_to", "text_to", "proof", "digest"),
    *("working_dir", "title", "folded_title", "began_at", "active_at", "message_count", "damaged_lines", "cost_usd"),
    *("model", "git_branch", "tools_used", "files_changed", "tags"),
)
UPSERT_FILE = (
    f"INSERT INTO file ({', '.join(_COLUMNS)}) VALUES ({', '.join(f':{name}' for name in _COLUMNS)}) "
    f"ON CONFLICT (path) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _COLUMNS[1:])} RETURNING id"
)
# The user's own home before the demo model's, then what was last spoken in: as the session is found elsewhere.
CHOOSE_SHOWN = """
UPDATE file SET shown = id IS (
    SELECT id FROM file AS best WHERE best.session_id = :session_id AND message_count AND working_dir IS NOT NULL
    ORDER BY offline, active_at DESC, id LIMIT 1)
WHERE session_id = :session_id
"""
_SHOWN = (
    *("session_id", "working_dir", "offline", "title", "began_at", "active_at", "message_count", "damaged_lines"),
    *("tools_used", "files_changed", "cost_usd", "model", "git_branch", "tags"),
)
SELECT_SUMMARIES = f"SELECT {', '.join(_SHOWN)} FROM file"

_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)")


def file_row(path: str, session_id: str, offline: bool, shown: dict[str, Any], mtime_ns: int) -> dict[str, Any]:
    """What lists are asked for, beside where the file was left."""
    written_at = timestamp(datetime.fromtimestamp(mtime_ns / 1e9, UTC))
    title = shown["custom_title"] or shown["title"] or shown["command"]
    return {
        "path": path,
        "offline": offline,
        "session_id": session_id,
        "working_dir": shown["cwd"],
        "title": title,
        "folded_title": title.casefold(),
        "began_at": _moment(shown["began"]) or written_at,
        "active_at": _moment(shown["ended"]) or written_at,
        "message_count": shown["messages"],
        "damaged_lines": shown["damaged"],
        "cost_usd": shown["cost_usd"],
        "model": shown["model"],
        "git_branch": shown["branch"],
        "tools_used": orjson.dumps(shown["tools"]).decode(),
        "files_changed": orjson.dumps(shown["files"]).decode(),
        "tags": orjson.dumps(shown["tags"]).decode(),
    }


def summary_of(row: tuple[Any, ...]) -> SessionSummary:
    named = dict(zip(_SHOWN, row, strict=True))
    lists = {name: tuple(orjson.loads(named[name])) for name in ("tools_used", "files_changed", "tags")}
    return SessionSummary(**named | lists | {"offline": bool(named["offline"])})


def _moment(text: str | None) -> str | None:
    """As all doors write moments; None for what is none."""
    if text is None or not _MOMENT.fullmatch(text):
        return None
    try:
        return timestamp(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        return None
