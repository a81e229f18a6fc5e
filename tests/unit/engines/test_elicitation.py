"""An MCP server's form becomes questions, and their answers its content; what does not fit is asked again."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from glasshouse.contract.question import QuestionKind, QuestionState, QuestionType
from glasshouse.core.ports import AnsweredBy, Asking, Call, QuestionRecord
from glasshouse.core.questions.answers import read_answer
from glasshouse.engines.claude.elicitation import Elicitations, elicitation_asking

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Your name", "minLength": 2},
        "age": {"type": "integer", "minimum": 1, "maximum": 120},
        "colour": {"type": "string", "enum": ["red", "green"], "enumNames": ["Red", "Green"], "default": "green"},
        "size": {"type": "string", "oneOf": [{"const": "s", "title": "Small"}, {"const": "l", "title": "Large"}]},
        "tags": {"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}, {"const": "b", "title": "B"}]}},
        "sure": {"type": "boolean", "default": True},
        "mail": {"type": "string", "format": "email", "description": "Where to write to"},
    },
    "required": ["name", "sure"],
}
FORM = {"mcp_server_name": "shop", "message": "Who are you?", "mode": "form", "requested_schema": SCHEMA}
URL = {"mcp_server_name": "shop", "message": "Pay here", "mode": "url", "url": "https://pay.example/1"}


class Person:
    """A run whose person answers by field, once for each time that they are asked; None declines."""

    def __init__(self, *times: dict[int, Any] | None) -> None:
        self.times = list(times)
        self.asked: list[Asking] = []
        self.told_of: list[str] = []

    async def ask(self, asking: Asking) -> None:
        self.asked.append(asking)

    async def settled(self, call_id: str) -> Call:
        asking, answers = self.asked[-1], self.times.pop(0)
        records = []
        for place, question in enumerate(asking.questions, 1):
            record = QuestionRecord("s", question.question_id, "t", asking.kind, call_id, question, 1, "")
            given = None if answers is None else answers.get(place, "" if not question.required else None)
            if question.type is QuestionType.CHECKBOX and given == "":
                given = []
            if given is None:
                record = replace(record, state=QuestionState.CANCELLED, answered_by=AnsweredBy.PERSON)
            else:
                answer = read_answer(question, given).answer
                record = replace(record, state=QuestionState.ANSWERED, answer=answer, answered_by=AnsweredBy.PERSON)
            records.append(record)
        return Call(call_id, records)

    async def told(self, call_id: str, way: str) -> None:
        self.told_of.append(call_id)


async def reply(person: Any, request: dict[str, Any]) -> Any:
    return await asyncio.wait_for(Elicitations(person, "en").answer("e", request), 10)


def test_a_field_is_a_question_of_the_type_that_fits() -> None:
    asking = elicitation_asking("e", FORM, "en")
    assert asking.kind is QuestionKind.ELICITATION
    assert not asking.by_model
    assert asking.subject == {"mcp_server": "shop", "message": "Who are you?"}
    texts = {question.question_text: question for question in asking.questions}
    assert list(texts) == ["Your name", "age", "colour", "size", "tags", "sure", "mail"]
    assert [question.type.value for question in asking.questions] == [
        "text", "text", "multiple_choice", "multiple_choice", "checkbox", "boolean", "text",
    ]  # fmt: skip
    assert [(option.id, option.label, option.default) for option in texts["colour"].options] == [
        ("red", "Red", False),
        ("green", "Green", True),
    ]
    assert [option.id for option in texts["size"].options] == ["s", "l"]
    assert [question.question_text for question in asking.questions if question.required] == ["Your name", "sure"]
    assert texts["age"].description == "a whole number, at least 1, at most 120"
    assert "Where to write to" in str(texts["mail"].description)


def test_the_servers_order_holds() -> None:
    order = ["sure", "name", "mail"]
    asking = elicitation_asking("e", {**FORM, "property_order": order}, "en")
    assert [question.question_text for question in asking.questions][:3] == ["sure", "Your name", "mail"]


async def test_answers_become_the_content_in_the_fields_own_types() -> None:
    person = Person({1: "Zoë", 2: " 33 ", 3: "red", 4: "l", 5: ["a", "b"], 6: False})
    content = {"name": "Zoë", "age": 33, "colour": "red", "size": "l", "tags": ["a", "b"], "sure": False}
    assert await reply(person, FORM) == {"action": "accept", "content": content}
    assert person.told_of == ["e"]


@pytest.mark.parametrize("wrong", ["many", "0", "121", "3.5", "nan"])
async def test_a_number_that_is_none_is_asked_for_again(wrong: str) -> None:
    person = Person({1: "Zoë", 2: wrong, 6: True}, {1: "Zoë", 2: "7", 6: True})
    assert await reply(person, FORM) == {"action": "accept", "content": {"name": "Zoë", "age": 7, "sure": True}}
    assert [asking.call_id for asking in person.asked] == ["e", "e#2"]
    assert "did not fit" in str(person.asked[1].questions[0].description)
    ids = [question.question_id for asking in person.asked for question in asking.questions]
    assert len(set(ids)) == len(ids)


async def test_a_text_that_is_too_short_is_asked_for_again() -> None:
    person = Person({1: "Z", 6: True}, {1: "Zo", 6: True})
    assert (await reply(person, FORM))["content"]["name"] == "Zo"


async def test_who_declines_declines() -> None:
    assert await reply(Person(None), FORM) == {"action": "decline"}


async def test_one_required_field_declined_is_all_declined() -> None:
    assert await reply(Person({1: "Zoë"}), FORM) == {"action": "decline"}


@pytest.mark.parametrize(("given", "action"), [("accept", "accept"), ("decline", "decline")])
async def test_a_page_is_opened_or_not(given: str, action: str) -> None:
    person = Person({1: given})
    assert await reply(person, URL) == {"action": action}
    assert person.asked[0].subject["url"] == "https://pay.example/1"


async def test_a_server_that_wants_no_field_asks_for_consent() -> None:
    request = {**FORM, "requested_schema": {"type": "object", "properties": {}}}
    assert await reply(Person({1: "accept"}), request) == {"action": "accept"}


async def test_what_was_asked_again_is_what_is_taken_back() -> None:
    taken_back: list[str] = []

    class Slow(Person):
        async def settled(self, call_id: str) -> Call:
            if call_id == "e#2":
                await elicitations.withdraw("e")
            return await super().settled(call_id)

        async def withdraw(self, call_id: str) -> None:
            taken_back.append(call_id)

    person: Any = Slow({1: "Zoë", 2: "many", 6: True}, None)
    elicitations = Elicitations(person, "en")
    await asyncio.wait_for(elicitations.answer("e", FORM), 10)
    assert taken_back == ["e#2"]


async def test_what_nobody_wants_to_know_any_more_is_cancelled() -> None:
    class Withdrawn(Person):
        async def settled(self, call_id: str) -> Call:
            call = await super().settled(call_id)
            return Call(call_id, [replace(each, answered_by=AnsweredBy.NOBODY) for each in call.records])

    assert await reply(Withdrawn(None), FORM) == {"action": "cancel"}


MALFORMED: Sequence[Any] = [None, {}, {"properties": None}, {"properties": []}, {"properties": {"a": 1}}]


@pytest.mark.parametrize("schema", MALFORMED)
def test_a_schema_that_is_none_asks_for_consent(schema: Any) -> None:
    # faults: D5
    [question] = elicitation_asking("e", {**FORM, "requested_schema": schema}, "en").questions
    assert [option.id for option in question.options] == ["accept", "decline"]
