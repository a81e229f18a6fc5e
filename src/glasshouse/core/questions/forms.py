"""What models and programs ask, read as questions: 002's `questions` array, 003's flat object, and a program's own."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from glasshouse.contract.errors import QuestionInvalid
from glasshouse.contract.question import Question, QuestionTooDeep, QuestionType

_MOST_QUESTIONS = 50
_LONGEST_OPTION_ID = 256
_NO_TEMPLATES: Mapping[str, Question] = {}
# Under which names the seeds know the same field.
_NUMBER = re.compile(r"#\d+$")
_ALIASES = {"id": "question_id", "question": "question_text", "text": "question_text"}


def from_claude(call_id: str, tool_input: Mapping[str, Any]) -> list[Question]:
    """Claude Code's own AskUserQuestion: ids made from the call's, free text always taken. Raises QuestionInvalid."""
    asked = _list_of(tool_input.get("questions"), "questions")
    return [
        _question(_of_claude(each), f"{call_id}:{number}", allow_other=True) for number, each in enumerate(asked, 1)
    ]


def from_rich(
    call_id: str, tool_input: Mapping[str, Any], templates: Mapping[str, Question] = _NO_TEMPLATES
) -> list[Question]:
    """Our own `ask_user_question`: an array under `questions`, or one flat object; a template by its id alone.

    Raises QuestionInvalid."""
    asked = _list_of(tool_input["questions"], "questions") if "questions" in tool_input else [tool_input]
    questions = [
        _template(each, templates) or _question(each, f"{call_id}:{number}") for number, each in enumerate(asked, 1)
    ]
    check_ids(questions)
    return questions


def templates_of(asked: Sequence[Any]) -> dict[str, Question]:
    """What a request lets the agent ask by id; so each has one. Raises QuestionInvalid."""
    for number, each in enumerate(asked, 1):
        if not {"question_id", "id"} & set(_mapping(each, "questions")):
            raise QuestionInvalid(f"questions.{number}: question_id")
    questions = [_question(each, "") for each in asked]
    check_ids(questions)
    return {question.question_id: question for question in questions}


def asked_again(question: Question, number: int) -> Question:
    """The same question under ids of its own: `<id>#2`, `<id>#3` …; the first keeps its id."""
    if number == 1:
        return question
    follow_ups = {
        option: tuple(asked_again(each, number) for each in questions)
        for option, questions in question.follow_up_questions.items()
    }
    changes = {"question_id": f"{question.question_id}#{number}", "follow_up_questions": follow_ups}
    return question.model_copy(update=changes)


def first_asked(question: Question) -> Question:
    """As it was before it was asked again."""
    follow_ups = {
        option: tuple(first_asked(each) for each in questions)
        for option, questions in question.follow_up_questions.items()
    }
    changes = {"question_id": unnumbered(question.question_id), "follow_up_questions": follow_ups}
    return question.model_copy(update=changes)


def unnumbered(name: str) -> str:
    return _NUMBER.sub("", name)


def from_program(question: Any, default_id: str) -> Question:
    """Raises QuestionInvalid."""
    read = _question(question, default_id)
    check_ids([read])
    return read


def check_ids(questions: Sequence[Question]) -> None:
    """No id twice in one asking, follow-ups included. Raises QuestionInvalid."""
    seen: set[str] = set()
    for question in questions:
        try:
            ids = [each.question_id for each in question.tree()]
        except QuestionTooDeep:
            raise QuestionInvalid(f"{question.question_id}: follow-ups deeper than ten levels") from None
        for question_id in ids:
            if question_id in seen:
                raise QuestionInvalid(f"{question_id}: used twice")
            seen.add(question_id)


def _template(asked: Any, templates: Mapping[str, Question]) -> Question | None:
    fields = _mapping(asked, "questions")
    return templates.get(str(fields.get("question_id"))) if set(fields) == {"question_id"} else None


def _of_claude(asked: Any) -> dict[str, Any]:
    fields = _mapping(asked, "questions")
    kind = QuestionType.CHECKBOX if fields.get("multiSelect") is True else QuestionType.MULTIPLE_CHOICE
    # What Claude Code adds beside these (a preview, for one) is shown with the call itself.
    return {
        "question": fields.get("question"),
        "header": fields.get("header"),
        "type": kind,
        "options": [
            {"label": option.get("label"), "description": option.get("description")}
            for option in map(_option, _list_of(fields.get("options"), "options"))
        ],
    }


def _question(asked: Any, default_id: str, *, allow_other: bool = False, depth: int = 1) -> Question:
    if depth > 2 * _MOST_QUESTIONS:
        raise QuestionInvalid(f"{default_id}: follow-ups deeper than ten levels")
    fields = {_ALIASES.get(name, name): value for name, value in _mapping(asked, default_id).items()}
    fields = {name: value for name, value in fields.items() if value is not None}
    multi_select = fields.pop("multiSelect", None)
    fields.setdefault("type", "checkbox" if multi_select is True else "multiple_choice")
    fields.setdefault("question_id", default_id)
    if allow_other:
        fields["allow_other"] = True
    if fields.get("options"):
        fields["options"] = _with_ids([_option(option) for option in _list_of(fields["options"], "options")])
    follow_ups = _mapping(fields.get("follow_up_questions", {}), "follow_up_questions")
    fields["follow_up_questions"] = {
        option: [
            _question(each, f"{fields['question_id']}.{option}.{number}", depth=depth + 1)
            for number, each in enumerate(_list_of(questions, "follow_up_questions"), 1)
        ]
        for option, questions in follow_ups.items()
    }
    try:
        return Question.model_validate(fields)
    except ValidationError as wrong:
        first = wrong.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise QuestionInvalid(f"{place}: {first['msg']}" if place else first["msg"]) from None


def _with_ids(options: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Options without an id have their label's words for one, told apart by a number."""
    taken = {option["id"] for option in options if isinstance(option.get("id"), str)}
    named = []
    for option in options:
        fields = {name: value for name, value in option.items() if value is not None}
        if "id" not in fields and isinstance(fields.get("label"), str):
            stem = fields["label"].strip()[: _LONGEST_OPTION_ID - 8] or "option"
            fields["id"] = next(name for name in _numbered(stem) if name not in taken)
            taken.add(fields["id"])
        named.append(fields)
    return named


def _numbered(stem: str) -> Sequence[str]:
    return [stem, *(f"{stem} ({number})" for number in range(2, 1000))]


def _option(option: Any) -> Mapping[str, Any]:
    return {"label": option} if isinstance(option, str) else _mapping(option, "options")


def _list_of(value: Any, name: str) -> Sequence[Any]:
    if not isinstance(value, list | tuple) or not value:
        raise QuestionInvalid(f"{name}: a list with at least one entry is expected")
    if name == "questions" and len(value) > _MOST_QUESTIONS:
        raise QuestionInvalid(f"{name}: more than {_MOST_QUESTIONS}")
    return value


def _mapping(value: Any, name: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise QuestionInvalid(f"{name}: an object is expected")
    return value
