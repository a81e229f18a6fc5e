"""Where a session stands in its rounds of questions, for people. Pure."""

from collections.abc import Sequence

from glasshouse.contract.question import Dialog, DialogEntry, QuestionState
from glasshouse.core.ports import QuestionRecord
from glasshouse.core.questions.answers import words_of


def dialog_of(session_id: str, records: Sequence[QuestionRecord]) -> Dialog:
    """`records`: all of the session, in the order of asking."""
    in_rounds = [record for record in records if record.round]
    pending = [record.round for record in in_rounds if record.state is QuestionState.PENDING]
    last = max((record.round for record in in_rounds), default=0)
    return Dialog(
        session_id=session_id,
        current_round=min(pending, default=last),
        total_rounds=last,
        dialog_history=[_entry(record) for record in in_rounds if record.state is not QuestionState.PENDING],
    )


def _entry(record: QuestionRecord) -> DialogEntry:
    answered = record.state is QuestionState.ANSWERED
    return DialogEntry(
        round=record.round,
        question=record.question.question_text,
        answer=words_of(record.question, record.answer) if answered else None,
        question_id=record.question_id,
        state=record.state,
        answered_at=record.answered_at,
    )
