"""The question of a directory's trust: how it is asked, and what its answer decides."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from glasshouse.contract.phrase import Language, Phrase
from glasshouse.contract.question import Option, Question, QuestionKind, QuestionState, QuestionType
from glasshouse.core.ports import AnsweredBy, Asking, QuestionRecord, TrustDecision, TrustRecord

TRUST, WITHOUT, CANCEL = "trust", "without", "cancel"
# An event holds 64 KB: more of them are counted, and not shown.
_MOST_SHOWN = 100
_MOST_SHOWN_BYTES = 32_000

_MAY_IT_RUN = Phrase(
    "这个目录自带会以你的权限运行的内容：{directory}。要信任它吗？",
    "This directory carries things that run with your rights: {directory}. Do you trust it?",
)
_REMEMBERED = Phrase(
    "所作的选择会记住，直到这些内容改变。", "What you choose is remembered until what it carries changes."
)
_OPTIONS = {
    TRUST: Phrase("信任并运行", "Trust it"),
    WITHOUT: Phrase("不运行这些内容，继续任务", "Run without them"),
    CANCEL: Phrase("取消任务", "Cancel the task"),
}


def trust_asking(
    task_id: str, directory: str, digest: str, runs: Sequence[Mapping[str, str]], language: Language
) -> Asking:
    """Once a task, for the same directory with the same things in it."""
    call_id = f"trust:{task_id}:{digest[:16]}"
    question = Question(
        question_id=f"{call_id}:1",
        question_text=_MAY_IT_RUN.say(language, directory=directory),
        type=QuestionType.MULTIPLE_CHOICE,
        description=_REMEMBERED.say(language),
        options=tuple(Option(id=name, label=label.say(language)) for name, label in _OPTIONS.items()),
    )
    shown = _first_of(runs)
    subject = {"directory": directory, "runs": shown, "runs_total": len(runs)}
    memo = {"digest": digest}
    return Asking(call_id, [question], QuestionKind.TRUST, by_model=False, subject=subject, memo=memo)


def decisions_in(records: Sequence[QuestionRecord]) -> Sequence[TrustRecord]:
    """What these answers are to be remembered for. To cancel a task says nothing about its directory."""
    return [
        TrustRecord(
            directory=record.subject["directory"],
            digest=record.memo["digest"],
            decision=TrustDecision(str(record.answer)),
            decided_at=str(record.answered_at),
            session_id=record.session_id,
            question_id=record.question_id,
        )
        for record in records
        if record.kind is QuestionKind.TRUST
        and record.state is QuestionState.ANSWERED
        and record.answered_by is AnsweredBy.PERSON
        and record.answer in (TRUST, WITHOUT)
    ]


def decision_of(records: Sequence[QuestionRecord]) -> TrustDecision | None:
    """What came of the question; None if the task is not to go on."""
    answers = {record.answer for record in records if record.state is QuestionState.ANSWERED}
    if TRUST in answers:
        return TrustDecision.TRUST
    return TrustDecision.WITHOUT if WITHOUT in answers else None


def _first_of(runs: Sequence[Mapping[str, str]]) -> list[dict[str, Any]]:
    shown: list[dict[str, Any]] = []
    left = _MOST_SHOWN_BYTES
    for each in runs[:_MOST_SHOWN]:
        left -= sum(len(os.fsencode(value)) + 16 for value in each.values())
        if left < 0 and shown:
            break
        shown.append(dict(each))
    return shown
