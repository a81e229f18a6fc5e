"""A question as the log has it: its record, and what the world is told of it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from glasshouse.contract.events import AskUserQuestion, Info
from glasshouse.contract.phrase import Language
from glasshouse.contract.question import (
    AskedQuestion,
    Door,
    Group,
    Question,
    QuestionKind,
    QuestionReport,
    QuestionState,
)
from glasshouse.core import messages
from glasshouse.core.ports import AnsweredBy, QuestionRecord

_OF_CALLS = frozenset({QuestionKind.QUESTION, QuestionKind.PERMISSION, QuestionKind.PLAN_APPROVAL})


@dataclass(frozen=True, slots=True)
class Act:
    """Who settles a question, through which door, and when."""

    by: AnsweredBy
    at: str
    door: Door | None = None


def settled(record: QuestionRecord, state: QuestionState, act: Act, **changes: Any) -> QuestionRecord:
    return replace(record, state=state, answered_by=act.by, answered_at=act.at, door=act.door, **changes)


def follow_up_of(parent: QuestionRecord, question: Question, *, asked_at: str, due: float | None) -> QuestionRecord:
    """It waits, in its parent's place."""
    return QuestionRecord(
        session_id=parent.session_id,
        question_id=question.question_id,
        task_id=parent.task_id,
        kind=parent.kind,
        call_id=parent.call_id,
        question=question,
        round=parent.round,
        asked_at=asked_at,
        index=parent.index,
        total=parent.total,
        parent_id=parent.question_id,
        due_at_uptime_s=due,
        subject=parent.subject,
        memo=parent.memo,
    )


def asked_event(record: QuestionRecord) -> AskUserQuestion:
    has_call = record.task_id is not None and record.kind in _OF_CALLS
    return AskUserQuestion(
        content=record.question.question_text,
        timestamp=record.asked_at,
        session_id=record.session_id,
        task_id=record.task_id,
        question=AskedQuestion(**_as_asked(record)),
        tool_use_id=record.call_id if has_call else None,
    )


def change_event(record: QuestionRecord, *, at: str, language: Language) -> Info:
    return Info(
        content=messages.QUESTION[record.state].say(language),
        timestamp=at,
        session_id=record.session_id,
        task_id=record.task_id,
        metadata={"question": _change_of(record)},
    )


def report_of(record: QuestionRecord, uptime_s: float) -> QuestionReport:
    due = record.due_at_uptime_s if record.state is QuestionState.PENDING else None
    return QuestionReport(
        **_as_asked(record),
        session_id=record.session_id,
        task_id=record.task_id,
        state=record.state,
        asked_at=record.asked_at,
        parent_id=record.parent_id,
        due_in_s=None if due is None else max(0.0, round(due - uptime_s, 1)),
        answer=record.answer,
        answered_at=record.answered_at,
        answered_by=record.answered_by,
        door=record.door,
        reason=record.reason,
        updated_input=None if record.updated_input is None else dict(record.updated_input),
        way=record.way,
    )


def _as_asked(record: QuestionRecord) -> Mapping[str, Any]:
    return {
        **{name: getattr(record.question, name) for name in Question.model_fields},
        "kind": record.kind,
        "group": Group(id=record.call_id, index=record.index, total=record.total),
        "round": record.round or None,
        **record.subject,
    }


def _change_of(record: QuestionRecord) -> dict[str, Any]:
    always = {
        "question_id": record.question_id,
        "state": record.state.value,
        "answer": record.answer,
        "answered_by": record.answered_by,
        "answered_at": record.answered_at,
        "door": record.door,
        "way": record.way,
    }
    sometimes = {"reason": record.reason, "updated_input": record.updated_input}
    return always | {name: value for name, value in sometimes.items() if value is not None}
