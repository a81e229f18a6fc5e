"""What a person calls a session: its title and its tags."""

import re
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictStr, model_validator

from glasshouse.contract.ids import Uuid

# What an emoji is joined with is no control character, though it cannot be printed.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")


def _title(value: str) -> str:
    value = " ".join(value.split())
    if not value or _CONTROL.search(value):
        raise ValueError("a title of one line")
    return value


def _tag(value: str) -> str:
    value = value.strip()
    # Claude Code keeps one text for all of them.
    if not value or "," in value or not value.isprintable():
        raise ValueError("a tag: words without a comma")
    return value


class SessionPatch(BaseModel):
    """The body of `PATCH /api/sessions/{session_id}`; what is not given stays as it is."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: Annotated[StrictStr, Field(max_length=200), AfterValidator(_title)] | None = None
    tags: (
        Annotated[tuple[Annotated[StrictStr, Field(max_length=50), AfterValidator(_tag)], ...], Field(max_length=20)]
        | None
    ) = Field(None, description="All of them; `[]` takes the tags away.")

    @model_validator(mode="after")
    def _something(self) -> "SessionPatch":
        if self.title is None and self.tags is None:
            raise ValueError("title or tags")
        return self


class SessionLabels(BaseModel):
    """What was written; null: left as it was."""

    session_id: Uuid
    title: str | None = None
    tags: list[str] | None = None
