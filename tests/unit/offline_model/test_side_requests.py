"""What Claude Code asks beside the conversation is answered in the form that it wants."""

import json
from typing import Any

import pytest

from glasshouse.testing.offline_model import Conversation, Say
from glasshouse.testing.offline_model.conversation import read_conversation
from glasshouse.testing.offline_model.messages import MessagesRequest
from glasshouse.testing.offline_model.side_requests import side_reply


def ask(prompt: str, **more: Any) -> tuple[MessagesRequest, Conversation]:
    request = MessagesRequest.model_validate({"model": "m", "messages": [{"role": "user", "content": prompt}], **more})
    return request, read_conversation(request.turns, [], "en")


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (
            {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]},
            {"title": "Offline demo"},
        ),
        (
            {
                "type": "object",
                "properties": {
                    "kind": {"enum": ["bug", "idea"]},
                    "new": {"type": "boolean"},
                    "count": {"type": "integer"},
                    "tags": {"type": "array"},
                },
            },
            {"kind": "bug", "new": False, "count": 0, "tags": []},
        ),
    ],
)
def test_a_request_for_json_gets_json_of_that_form(schema: dict[str, Any], value: object) -> None:
    asked = ask("List the files", output_config={"format": {"type": "json_schema", "schema": schema}})
    (said,) = side_reply(*asked) or ()
    assert isinstance(said, Say)
    assert json.loads(said.text) == value


def test_a_summary_is_not_taken_for_a_task() -> None:
    (said,) = side_reply(*ask("Your task is to create a detailed summary of the plan so far.")) or ()
    assert isinstance(said, Say)
    assert said.text.startswith("<summary>")


def test_the_conversation_itself_is_no_side_request() -> None:
    assert side_reply(*ask("List the files", output_config={"effort": "medium"})) is None
