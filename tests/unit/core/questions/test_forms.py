"""What models and programs ask, in all the forms that the seeds know; and what is malformed."""

from typing import Any

import pytest

from glasshouse.contract.errors import QuestionInvalid
from glasshouse.contract.question import QuestionType
from glasshouse.core.questions.forms import asked_again, from_claude, from_program, from_rich, templates_of

CLAUDE = {
    "questions": [
        {
            "header": "选择功能",
            "multiSelect": True,
            "question": "请选择一个功能",
            "options": [{"label": "背唐诗", "description": "经典"}, {"label": "讲笑话"}, {"label": "背唐诗"}],
        },
        {"question": "请选择一个功能", "options": [{"label": "A"}, {"label": "B"}]},
    ]
}
FLAT = {
    "question_id": "auth",
    "question_text": "Which?",
    "type": "multiple_choice",
    "options": [{"id": "oauth2", "label": "OAuth 2.0", "default": True}, {"id": "none", "label": "None"}],
    "follow_up_questions": {
        "oauth2": [{"question_id": "providers", "question_text": "?", "type": "checkbox", "options": ["Google"]}]
    },
}


def nested(depth: int) -> dict[str, Any]:
    question: dict[str, Any] = {"question_id": f"q{depth}", "question_text": "?", "type": "boolean"}
    if depth > 1:
        question["follow_up_questions"] = {"true": [nested(depth - 1)]}
    return question


def test_claude_codes_own_questions_get_ids_from_their_call() -> None:
    first, second = from_claude("toolu_1", CLAUDE)
    assert (first.question_id, second.question_id) == ("toolu_1:1", "toolu_1:2")
    assert (first.type, second.type) == (QuestionType.CHECKBOX, QuestionType.MULTIPLE_CHOICE)
    assert first.allow_other
    assert first.required
    assert [option.id for option in first.options] == ["背唐诗", "讲笑话", "背唐诗 (2)"]


def test_one_flat_object_and_an_array_are_the_same() -> None:
    assert from_rich("t", FLAT) == from_rich("t", {"questions": [FLAT]})
    [question] = from_rich("t", FLAT)
    assert question.required
    assert [each.question_id for each in question.tree()] == ["auth", "providers"]


def test_a_question_without_an_id_has_one_from_its_call() -> None:
    [one, other] = from_rich("t", {"questions": [{"question": "?", "type": "text"}] * 2})
    assert (one.question_id, other.question_id) == ("t:1", "t:2")


def test_a_template_is_asked_by_its_id_alone() -> None:
    templates = templates_of([FLAT])
    assert from_rich("t", {"question_id": "auth"}, templates) == [templates["auth"]]
    assert from_rich("t", {"questions": [{"question_id": "auth"}]}, templates) == [templates["auth"]]
    with pytest.raises(QuestionInvalid):
        from_rich("t", {"question_id": "other"}, templates)


def test_asked_again_it_has_ids_of_its_own_all_the_way_down() -> None:
    [question] = from_rich("t", FLAT)
    assert asked_again(question, 1) == question
    assert [each.question_id for each in asked_again(question, 2).tree()] == ["auth#2", "providers#2"]


def test_ten_levels_are_taken_and_eleven_are_not() -> None:
    from_program(nested(10), "q")
    with pytest.raises(QuestionInvalid):
        from_program(nested(11), "q")
    with pytest.raises(QuestionInvalid):
        from_program(nested(150), "q")


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"questions": []},
        {"questions": "which?"},
        {"questions": None},
        {"questions": [None]},
        {"questions": [{"question": "?"}]},
        {"questions": [{"question": "?", "options": None}]},
        {"questions": [{"question": "?", "options": []}]},
        {"questions": [{"question": "?", "options": [None]}]},
        {"questions": [{"question": "?", "options": [{"description": "no label"}]}]},
        {"questions": [{"question": "?", "options": [str(number) for number in range(1_000)]}]},
        {"questions": [{"question": "", "type": "text"}]},
        {"questions": [{"question": 1, "type": "text"}]},
        {"questions": [{"question": "?", "type": "slider"}]},
        {"questions": [{"question": "?", "type": "text", "required": "yes"}]},
        {"questions": [{"question": "?", "type": "text", "colour": "red"}]},
        {"questions": [{"question": "?", "options": [{"id": "a", "label": "A"}, {"id": "a", "label": "B"}]}]},
        {"questions": [FLAT, FLAT]},
        {"questions": [{"question": "?", "type": "text"}] * 51},
        {**FLAT, "follow_up_questions": {"other": [{"question": "?", "type": "text"}]}},
        {**FLAT, "follow_up_questions": {"oauth2": [{**FLAT, "follow_up_questions": {}}]}},
        {**FLAT, "follow_up_questions": {"oauth2": {"question": "?"}}},
        {"question_id": "q", "question_text": "?", "type": "boolean", "follow_up_questions": {"yes": []}},
    ],
)
def test_what_is_malformed_is_refused_with_a_reason(asked: dict[str, Any]) -> None:
    # faults: D5
    with pytest.raises(QuestionInvalid) as refusal:
        from_rich("t", asked)
    assert refusal.value.detail


def test_a_template_must_have_an_id() -> None:
    with pytest.raises(QuestionInvalid):
        templates_of([{"question_text": "?", "type": "text"}])
