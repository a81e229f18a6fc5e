"""Questions to ask with."""

from typing import Any

from glasshouse.contract.question import QuestionKind
from glasshouse.core.ports import Asking
from glasshouse.core.questions.forms import from_program


def choice(question_id: str, *options: str, default: str | None = None, **fields: Any) -> dict[str, Any]:
    named = [{"id": each, "label": each.upper(), "default": each == default} for each in options or ("a", "b")]
    return {
        "question_id": question_id,
        "question_text": f"{question_id}?",
        "type": "multiple_choice",
        "options": named,
        **fields,
    }


def text(question_id: str, **fields: Any) -> dict[str, Any]:
    return {"question_id": question_id, "question_text": f"{question_id}?", "type": "text", **fields}


def asking(call_id: str, *questions: dict[str, Any], kind: QuestionKind = QuestionKind.QUESTION) -> Asking:
    return Asking(call_id=call_id, questions=[from_program(each, "") for each in questions], kind=kind)


# One that opens a required and an optional follow-up with `a`, an optional one alone with `b`, and none with `c`.
OPENING = choice(
    "parent",
    "a",
    "b",
    "c",
    follow_up_questions={"a": [text("must"), text("may", required=False)], "b": [text("might", required=False)]},
)
