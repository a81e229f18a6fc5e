"""Going back in a session: to just before what a person said, or to a question."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, model_validator

from glasshouse.contract.ids import Uuid
from glasshouse.contract.question import Id


class RewindRequest(BaseModel):
    """The body of `POST /api/sessions/{session_id}/rewind`: to a message or to a question, one of the two."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    message_id: Uuid | None = Field(None, description="The uuid of a message that a person sent: back to before it.")
    question_id: Id | None = Field(None, description="Back to this question, which is asked again.")
    fork: StrictBool = Field(True, description="In a new session; false: this one goes on from there.")
    restore: Literal["conversation", "files", "both"] = Field(
        "conversation", description="Files are those that the agent's editing tools wrote, not what commands did."
    )
    dry_run: StrictBool = Field(False, description="Only tell what would come of it.")

    @model_validator(mode="after")
    def _to_one_place(self) -> "RewindRequest":
        if (self.message_id is None) == (self.question_id is None):
            raise ValueError("message_id or question_id")
        return self


class ConversationBack(BaseModel):
    kept: int = Field(description="Messages that come before.")
    prompt: str | None = Field(None, description="What the person said there, to be said again or otherwise.")


class FilesChange(BaseModel):
    files: list[str] = Field(description="In the session's directory, or absolute.")
    insertions: int | None = None
    deletions: int | None = None
    skipped_links: int = Field(0, description="Left as they are, because a link stands in their place.")


class Rewound(BaseModel):
    success: Literal[True] = True
    dry_run: bool
    session_id: Uuid | None = Field(description="Where to go on; null while only a dry run would have begun it.")
    forked: bool
    conversation: ConversationBack | None = None
    files: FilesChange | None = None
    task_id: Uuid | None = Field(None, description="The task that waits for the question.")
    question_ids: list[str] = Field([], description="The questions that were asked again.")
