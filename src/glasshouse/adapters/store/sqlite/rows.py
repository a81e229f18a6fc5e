"""Records as rows of their tables, and back."""

from dataclasses import asdict, replace
from typing import Any

import orjson

from glasshouse.contract.instruction import MessageMode, ReceiptState
from glasshouse.contract.question import Door, Question, QuestionKind, QuestionState
from glasshouse.contract.task import Parked, TaskResult, TaskStatus
from glasshouse.core.ports import (
    AnsweredBy,
    Figures,
    ForkPoint,
    Frame,
    InstructionRecord,
    QuestionRecord,
    SessionRecord,
    TaskRecord,
    TrustDecision,
    TrustRecord,
)

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
    "worked_ms",
    "cost_usd",
    "num_turns",
    "parked",
)
SELECT_TASKS = f"SELECT {', '.join(_TASK)}, first_seq, last_seq FROM task LEFT JOIN span USING (task_id)"
UPSERT_TASK = (
    f"INSERT INTO task ({', '.join(_TASK)}) VALUES ({', '.join('?' for _ in _TASK)}) "
    f"ON CONFLICT (task_id) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _TASK[1:])}"
)

_SESSION = ("session_id", "engine", "working_dir", "created_at", "offline", "engine_state", "forked_from")
SELECT_SESSIONS = f"SELECT {', '.join(_SESSION)} FROM session ORDER BY created_at DESC, session_id"
SELECT_SESSION = f"SELECT {', '.join(_SESSION)} FROM session WHERE session_id = ?"
UPSERT_SESSION = f"INSERT OR REPLACE INTO session ({', '.join(_SESSION)}) VALUES ({', '.join('?' for _ in _SESSION)})"


_QUESTION = ("session_id", "question_id", "task_id", "call_id", "state", "round", "opens", "due_at_uptime_s", "record")
SELECT_QUESTIONS = "SELECT asked, record FROM question"
UPSERT_QUESTION = (
    f"INSERT INTO question ({', '.join(_QUESTION)}) VALUES ({', '.join('?' for _ in _QUESTION)}) "
    "ON CONFLICT (session_id, question_id) DO UPDATE SET "
    f"{', '.join(f'{name} = excluded.{name}' for name in _QUESTION[2:])}"
)

_INSTRUCTION = ("task_id", "instruction_id", "session_id", "is_open", "record")
SELECT_INSTRUCTIONS = "SELECT record FROM instruction"
UPSERT_INSTRUCTION = (
    f"INSERT INTO instruction ({', '.join(_INSTRUCTION)}) VALUES ({', '.join('?' for _ in _INSTRUCTION)}) "
    "ON CONFLICT (task_id, instruction_id) DO UPDATE SET is_open = excluded.is_open, record = excluded.record"
)


_TRUST = ("directory", "digest", "decision", "decided_at", "session_id", "question_id")
SELECT_TRUST = f"SELECT {', '.join(_TRUST)} FROM trust"
UPSERT_TRUST = f"INSERT OR REPLACE INTO trust ({', '.join(_TRUST)}) VALUES ({', '.join('?' for _ in _TRUST)})"


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
        record.worked_ms,
        record.figures.cost_usd,
        record.figures.num_turns,
        None if record.parked is None else _json(record.parked.model_dump(mode="json")),
    )


def task_of(row: tuple[Any, ...]) -> TaskRecord:
    named = dict(zip((*_TASK, "first_seq", "last_seq"), row, strict=True))
    result = named.pop("result")
    figures = Figures(named.pop("cost_usd"), named.pop("num_turns"))
    return TaskRecord(
        **named
        | {
            "status": TaskStatus(named["status"]),
            "request": orjson.loads(named["request"]),
            "offline": bool(named["offline"]),
            "deltas": bool(named["deltas"]),
            "result": None if result is None else TaskResult.model_validate_json(result),
            "figures": figures,
            "parked": None if named["parked"] is None else Parked.model_validate_json(named["parked"]),
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
        None if record.forked_from is None else _json(asdict(record.forked_from)),
    )


def session_of(row: tuple[Any, ...]) -> SessionRecord:
    named = dict(zip(_SESSION, row, strict=True))
    forked_from = named["forked_from"]
    return SessionRecord(
        **named
        | {
            "offline": bool(named["offline"]),
            "engine_state": orjson.loads(named["engine_state"]),
            "forked_from": None if forked_from is None else ForkPoint(**orjson.loads(forked_from)),
        }
    )


def question_row(record: QuestionRecord) -> tuple[Any, ...]:
    return (
        record.session_id,
        record.question_id,
        record.task_id,
        record.call_id,
        record.state.value,
        record.round,
        bool(record.question.follow_up_questions),
        record.due_at_uptime_s,
        _json(asdict(replace(record, question=record.question.model_dump(mode="json")))),  # type: ignore[arg-type]
    )


def question_of(row: tuple[Any, ...]) -> QuestionRecord:
    fields = orjson.loads(row[1])
    return QuestionRecord(
        **fields
        | {
            "kind": QuestionKind(fields["kind"]),
            "state": QuestionState(fields["state"]),
            "question": Question.model_validate(fields["question"]),
            "answered_by": None if fields["answered_by"] is None else AnsweredBy(fields["answered_by"]),
            "door": None if fields["door"] is None else Door(fields["door"]),
        }
    )


def trust_row(record: TrustRecord) -> tuple[Any, ...]:
    return tuple(getattr(record, name) for name in _TRUST)


def trust_of(row: tuple[Any, ...]) -> TrustRecord:
    named = dict(zip(_TRUST, row, strict=True))
    return TrustRecord(**named | {"decision": TrustDecision(named["decision"])})


def instruction_row(record: InstructionRecord) -> tuple[Any, ...]:
    return (record.task_id, record.instruction_id, record.session_id, record.is_open, _json(asdict(record)))


def instruction_of(row: tuple[Any, ...]) -> InstructionRecord:
    fields = orjson.loads(row[0])
    mode = None if fields["mode"] is None else MessageMode(fields["mode"])
    return InstructionRecord(**fields | {"mode": mode, "receipt": ReceiptState(fields["receipt"])})


def frame_of(row: tuple[Any, ...]) -> Frame:
    seq, task_id, ends_task, body = row
    return Frame(seq, task_id, body, bool(ends_task))


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()
