"""What was decided about the directories that carry things which would run."""

from typing import Literal

from pydantic import BaseModel, Field


class TrustReport(BaseModel):
    directory: str
    decision: Literal["trust", "without"]
    digest: str = Field(description="Of what the directory carried then: it holds as long as that is the same.")
    decided_at: str
    session_id: str
    question_id: str


class Trusts(BaseModel):
    directories: list[TrustReport]


class Forgotten(BaseModel):
    forgotten: int = Field(description="How many decisions there were; the next task there asks again.")
