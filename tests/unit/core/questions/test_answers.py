"""What is an answer to a question, and what it opens."""

from typing import Any

import pytest

from glasshouse.contract.errors import InvalidAnswer
from glasshouse.contract.question import Question
from glasshouse.core.questions.answers import default_of, opened_by, read_answer, words_of
from glasshouse.core.questions.forms import from_program


def a(kind: str, **fields: Any) -> Question:
    options = {"options": ["Red", {"id": "b", "label": "Blue"}]} if kind in ("multiple_choice", "checkbox") else {}
    return from_program({"question_id": "q", "question_text": "?", "type": kind, **options, **fields}, "")


CHOICE, CHECKBOX, TEXT, BOOLEAN = a("multiple_choice"), a("checkbox"), a("text"), a("boolean")
OPEN_CHOICE, OPEN_CHECKBOX = a("multiple_choice", allow_other=True), a("checkbox", allow_other=True)


@pytest.mark.parametrize(
    ("question", "given", "recorded"),
    [
        (CHOICE, "Red", "Red"),
        (CHOICE, "b", "b"),
        (CHOICE, "Blue", "b"),
        (OPEN_CHOICE, {"other": " green "}, {"other": " green "}),
        (OPEN_CHOICE, {"other": "x" * 256}, {"other": "x" * 256}),
        (CHECKBOX, ["Blue"], ["b"]),
        (CHECKBOX, ["b", "Red"], ["b", "Red"]),
        (OPEN_CHECKBOX, ["Red", {"other": "绿"}], ["Red", {"other": "绿"}]),
        (TEXT, "8080", "8080"),
        (TEXT, "x" * 10_000, "x" * 10_000),
        (BOOLEAN, True, True),
        (BOOLEAN, False, False),
    ],
)
def test_an_answer_is_recorded_by_the_ids_of_options(question: Question, given: Any, recorded: Any) -> None:
    assert read_answer(question, given) == (recorded, False)


@pytest.mark.parametrize(
    ("question", "given"),
    [
        (CHOICE, "red"),
        (CHOICE, ""),
        (CHOICE, ["Red"]),
        (CHOICE, 1),
        (CHOICE, True),
        (CHOICE, {"other": "green"}),
        (CHOICE, "x" * 1_000_000),
        (OPEN_CHOICE, "green"),
        (OPEN_CHOICE, {"other": ""}),
        (OPEN_CHOICE, {"other": " "}),
        (OPEN_CHOICE, {"other": "x" * 257}),
        (OPEN_CHOICE, {"other": 1}),
        (OPEN_CHOICE, {"other": "green", "id": "b"}),
        (CHECKBOX, "Red"),
        (CHECKBOX, []),
        (CHECKBOX, ["Red", "green"]),
        (CHECKBOX, ["b", "Blue"]),
        (OPEN_CHECKBOX, [{"other": letter * 256} for letter in "abcd"]),
        (TEXT, ""),
        (TEXT, " \n"),
        (TEXT, "\x00\x1b"),
        (TEXT, 8080),
        (TEXT, ["8080"]),
        (TEXT, "x" * 10_001),
        (BOOLEAN, "true"),
        (BOOLEAN, 1),
        (BOOLEAN, ""),
    ],
)
def test_anything_else_is_refused_and_what_is_expected_is_said(question: Question, given: Any) -> None:
    # faults: D5
    with pytest.raises(InvalidAnswer) as refusal:
        read_answer(question, given)
    assert refusal.value.detail.startswith("q: ")
    assert len(refusal.value.detail) < 500


@pytest.mark.parametrize("kind", ["multiple_choice", "checkbox", "text", "boolean"])
@pytest.mark.parametrize("empty", ["", []])
def test_an_optional_question_takes_an_empty_answer(kind: str, empty: Any) -> None:
    assert read_answer(a(kind, required=False), empty).answer == empty


@pytest.mark.parametrize(
    "text",
    [
        "1 < 2 && a > b",
        "<T>",
        "&lt;",
        "<script>alert(1)</script>",
        "\t缩进\r\n下一行",
        "👩‍👩‍👧",
        "مرحبا",
        "a\u2028b",
        "é" * 5_000,
    ],
)
def test_text_is_kept_as_it_was_typed(text: str) -> None:
    # faults: C7
    assert read_answer(TEXT, text) == (text, False)
    assert read_answer(OPEN_CHOICE, {"other": text[:256]}) == ({"other": text[:256]}, False)


def test_control_characters_are_taken_out_and_that_is_said() -> None:
    assert read_answer(TEXT, "a\x00b\x1b[31mc\x7f\x9bd\te\n") == ("ab[31mcd\te\n", True)
    assert read_answer(OPEN_CHECKBOX, ["Red", {"other": "a\x00"}]) == (["Red", {"other": "a"}], True)


FOLLOWED = {
    "Red": [{"question_id": "r", "question_text": "?", "type": "text"}],
    "b": [{"question_id": "b1", "question_text": "?", "type": "text"}],
}


@pytest.mark.parametrize(
    ("question", "answer", "opened"),
    [
        (a("multiple_choice", follow_up_questions=FOLLOWED), "b", ["b1"]),
        (a("checkbox", follow_up_questions=FOLLOWED), ["b", "Red"], ["b1", "r"]),
        (a("checkbox", follow_up_questions=FOLLOWED, allow_other=True), [{"other": "b"}], []),
        (a("boolean", follow_up_questions={"true": FOLLOWED["b"]}), True, ["b1"]),
        (a("boolean", follow_up_questions={"true": FOLLOWED["b"]}), False, []),
    ],
)
def test_each_chosen_option_opens_its_own_follow_ups(question: Question, answer: Any, opened: list[str]) -> None:
    assert [each.question_id for each in opened_by(question, answer)] == opened


@pytest.mark.parametrize(
    ("kind", "defaults", "answer"),
    [
        ("multiple_choice", ["a"], "a"),
        ("multiple_choice", [], None),
        ("multiple_choice", ["a", "b"], None),
        ("checkbox", ["a", "b"], ["a", "b"]),
        ("checkbox", [], None),
        ("boolean", ["true"], True),
        ("boolean", ["false"], False),
        ("boolean", [], None),
    ],
)
def test_a_default_is_what_the_options_declare(kind: str, defaults: list[str], answer: Any) -> None:
    ids = ["true", "false"] if kind == "boolean" else ["a", "b"]
    options = [{"id": each, "label": each, "default": each in defaults} for each in ids]
    assert default_of(a(kind, options=options)) == answer


def test_an_answer_is_said_in_the_words_of_its_options() -> None:
    assert words_of(OPEN_CHECKBOX, ["b", {"other": "green"}]) == "Blue, green"
    assert words_of(BOOLEAN, True) == "true"
    assert words_of(TEXT, "as typed") == "as typed"
