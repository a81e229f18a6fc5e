"""Something waits for a person."""

from typing import Literal

from pydantic import SerializerFunctionWrapHandler, field_serializer

from glasshouse.contract.events.base import FromTranscript, Truncated
from glasshouse.contract.question import AskedQuestion


class AskUserQuestion(FromTranscript):
    type: Literal["ask_user_question"] = "ask_user_question"
    question: AskedQuestion
    tool_use_id: str | None = None
    truncated: Truncated | None = None

    @field_serializer("question", mode="wrap")
    def _without_nulls(self, question: AskedQuestion, _: SerializerFunctionWrapHandler):  # type: ignore[no-untyped-def]
        """As every event is: what a question does not have is not there."""
        return question.model_dump(exclude_none=True)
