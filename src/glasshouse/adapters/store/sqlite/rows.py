"""Records as rows of their tables, and back."""

from typing import Any

import orjson

from glasshouse.contract.task import TaskResult, TaskStatus
from glasshouse.core.ports import Frame, SessionRecord, TaskRecord

_TASK = (
    "task_id",
    "session_id",
    "engine",
    "status",
    "working_dir",
    "request",
    "created_at",
    "offline",
    "deltas",
    "generation",
    "started_at",
    "ended_at",
    "result",
)
SELECT_TASKS = f"SELECT {', '.join(_TASK)}, first_seq, last_seq FROM task LEFT JOIN span USING (task_id)"
UPSERT_TASK = (
    f"INSERT INTO task ({', '.join(_TASK)}) VALUES ({', '.join('?' for _ in _TASK)}) "
    f"ON CONFLICT (task_id) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _TASK[1:])}"
)

_SESSION = ("session_id", "engine", "working_dir", "created_at", "offline", "engine_state")
SELECT_SESSION = f"SELECT {', '.join(_SESSION)} FROM session WHERE session_id = ?"
UPSERT_SESSION = f"INSERT OR REPLACE INTO session ({', '.join(_SESSION)}) VALUES ({', '.join('?' for _ in _SESSION)})"


def task_row(record: TaskRecord) -> tuple[Any, ...]:
    return (
        record.task_id,
        record.session_id,
        record.engine,
        record.status.value,
        record.working_dir,
        _json(record.request),
        record.created_at,
        record.offline,
        record.deltas,
        record.generation,
        record.started_at,
        record.ended_at,
        None if record.result is None else _json(record.result.model_dump(mode="json")),
    )


def task_of(row: tuple[Any, ...]) -> TaskRecord:
    named = dict(zip((*_TASK, "first_seq", "last_seq"), row, strict=True))
    result = named.pop("result")
    return TaskRecord(
        **named
        | {
            "status": TaskStatus(named["status"]),
            "request": orjson.loads(named["request"]),
            "offline": bool(named["offline"]),
            "deltas": bool(named["deltas"]),
            "result": None if result is None else TaskResult.model_validate_json(result),
        }
    )


def session_row(record: SessionRecord) -> tuple[Any, ...]:
    return (
        record.session_id,
        record.engine,
        record.working_dir,
        record.created_at,
        record.offline,
        _json(record.engine_state),
    )


def session_of(row: tuple[Any, ...]) -> SessionRecord:
    named = dict(zip(_SESSION, row, strict=True))
    return SessionRecord(
        **named | {"offline": bool(named["offline"]), "engine_state": orjson.loads(named["engine_state"])}
    )


def frame_of(row: tuple[Any, ...]) -> Frame:
    seq, task_id, ends_task, body = row
    return Frame(seq, task_id, body, bool(ends_task))


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()
