"""What a person may answer to a question, and which follow-ups that opens. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from glasshouse.contract.errors import InvalidAnswer
from glasshouse.contract.question import Answer, Question, QuestionType

LONGEST_CHOICE = 256
LONGEST_CHOICES = 1_000
LONGEST_TEXT = 10_000
_SHOWN_OPTIONS = 10
# All control characters but tab and line breaks; text is kept as it was typed, and escaped where it is shown.
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


class Read(NamedTuple):
    """An answer as it is recorded; `cleaned`: control characters were taken out of it."""

    answer: Answer
    cleaned: bool


def read_answer(question: Question, given: Any) -> Read:
    """Options by their ids. Raises InvalidAnswer, which says what is expected."""
    if not question.required and given in ("", []):
        return Read(given, False)
    match question.type:
        case QuestionType.MULTIPLE_CHOICE:
            return _choice(question, given)
        case QuestionType.CHECKBOX:
            return _choices(question, given)
        case QuestionType.BOOLEAN:
            if not isinstance(given, bool):
                raise InvalidAnswer(f"{question.question_id}: true / false")
            return Read(given, False)
        case QuestionType.TEXT:
            return _text(question, given)


def opened_by(question: Question, answer: Answer) -> Sequence[Question]:
    """The follow-ups that this answer asks next."""
    keys: Sequence[Any]
    if question.type is QuestionType.BOOLEAN:
        keys = [str(answer).lower()]
    else:
        keys = answer if isinstance(answer, list) else [answer]
    return [
        follow_up for key in keys if isinstance(key, str) for follow_up in question.follow_up_questions.get(key, ())
    ]


def default_of(question: Question) -> Answer:
    """What stands for an answer when time is over; None if it declares nothing."""
    chosen = [option.id for option in question.options if option.default]
    if question.type is QuestionType.CHECKBOX and chosen:
        return list(chosen)
    if question.type is QuestionType.MULTIPLE_CHOICE and len(chosen) == 1:
        return chosen[0]
    if question.type is QuestionType.BOOLEAN and chosen in (["true"], ["false"]):
        return chosen == ["true"]
    return None


def words_of(question: Question, answer: Answer) -> str:
    """The answer as a person would say it: labels, not ids."""
    if isinstance(answer, bool):
        return "true" if answer else "false"
    if isinstance(answer, list):
        return ", ".join(words_of(question, part) for part in answer)
    if isinstance(answer, Mapping):
        return str(answer.get("other", ""))
    labels = {option.id: option.label for option in question.options}
    return labels.get(answer, answer) if isinstance(answer, str) else ""


def expectation(question: Question) -> str:
    return " / ".join(_expected(question))


def _expected(question: Question) -> Iterator[str]:
    yield from (option.id for option in question.options[:_SHOWN_OPTIONS])
    if len(question.options) > _SHOWN_OPTIONS:
        yield "…"
    if question.allow_other:
        yield '{"other": "…"}'


def _choice(question: Question, given: Any) -> Read:
    chosen, cleaned = _one(question, given)
    return Read(chosen, cleaned)


def _choices(question: Question, given: Any) -> Read:
    if not isinstance(given, list):
        raise InvalidAnswer(f"{question.question_id}: [{expectation(question)}]")
    parts = [_one(question, each) for each in given]
    chosen: list[Any] = []
    for part, _ in parts:
        if part in chosen:
            raise InvalidAnswer(f"{question.question_id}: {words_of(question, part)} ×2")
        chosen.append(part)
    if question.required and not chosen:
        raise InvalidAnswer(f"{question.question_id}: [{expectation(question)}]")
    if sum(len(words_of(question, part)) for part in chosen) > LONGEST_CHOICES:
        raise InvalidAnswer(f"{question.question_id}: ≤ {LONGEST_CHOICES}")
    return Read(chosen, any(cleaned for _, cleaned in parts))


def _one(question: Question, given: Any) -> tuple[Any, bool]:
    """An option by its id, else by its exact label; or words of the person's own."""
    if isinstance(given, str):
        if len(given) > LONGEST_CHOICE:
            raise InvalidAnswer(f"{question.question_id}: ≤ {LONGEST_CHOICE}")
        for option in question.options:
            if given == option.id:
                return option.id, False
        for option in question.options:
            if given == option.label:
                return option.id, False
    elif question.allow_other and isinstance(given, dict) and set(given) == {"other"}:
        other, cleaned = _cleaned(given["other"], question)
        if other.strip() and len(other) <= LONGEST_CHOICE:
            return {"other": other}, cleaned
        raise InvalidAnswer(f'{question.question_id}: {{"other": 1–{LONGEST_CHOICE}}}')
    raise InvalidAnswer(f"{question.question_id}: {expectation(question)}")


def _text(question: Question, given: Any) -> Read:
    text, cleaned = _cleaned(given, question)
    if len(text) > LONGEST_TEXT:
        raise InvalidAnswer(f"{question.question_id}: ≤ {LONGEST_TEXT}")
    if question.required and not text.strip():
        raise InvalidAnswer(f"{question.question_id}: 1–{LONGEST_TEXT}")
    return Read(text, cleaned)


def _cleaned(given: Any, question: Question) -> tuple[str, bool]:
    if not isinstance(given, str):
        raise InvalidAnswer(f'{question.question_id}: "…"')
    text = _CONTROLS.sub("", given)
    return text, text != given
