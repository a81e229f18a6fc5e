"""Sessions as lists show them, and the projects that they belong to."""

from typing import Annotated

from pydantic import BaseModel, Field

from glasshouse.contract.fork import ForkedFrom
from glasshouse.contract.ids import Uuid
from glasshouse.contract.task import EngineName, TaskStatus


class Snippet(BaseModel):
    """Where a search found its words. `matches` are places in `text`: first character, and the one behind it."""

    text: str
    matches: list[tuple[int, int]] = []


class Session(BaseModel):
    """A conversation, begun here or in a terminal."""

    id: Uuid
    title: str = Field(description="What a person called it, else the beginning of the first message, 50 characters.")
    project_path: str = Field(description="The directory that it works in.")
    timestamp: str = Field(description="When it began.")
    last_active: str
    message_count: int = Field(description="Lines of type user and assistant, without side chains.")
    tools_used: list[str] = []
    files_changed: list[str] = Field([], description="Relative to the directory where inside it.")
    cost_usd: float | None = Field(None, description="null where nobody knows it.")
    model: str | None = None
    git_branch: str | None = None
    tags: list[str] = []
    engine: EngineName = "claude"
    offline: bool = Field(False, description="Held with the demo model.")
    has_transcript: bool = Field(True, description="false: nothing of it was written down yet.")
    forked_from: ForkedFrom | None = Field(
        None, description="Of a fork made here: where it begins. In lists: of forks that nothing is written of yet."
    )
    damaged_lines: int = Field(0, description="Lines of the transcript that could not be read, and were passed over.")
    status: TaskStatus | None = Field(
        None, description="Of its task that has not ended, else of its newest one; null: it had none here."
    )
    task_id: Uuid | None = Field(None, description="The task that `status` is of.")
    snippet: Snippet | None = Field(None, description="With `q`: where it was found; null: in the title.")


class Progress(BaseModel):
    done: int
    total: int


class SessionPage(BaseModel):
    sessions: list[Session]
    next_cursor: str | None = None
    indexing: Progress | None = Field(
        None, description="There: transcripts are still being read for the first time, and some are missing here."
    )
    searched: Progress | None = Field(
        None, description="With `q`: of how many transcripts the text could be searched already; null: of all."
    )


class Project(BaseModel):
    path: str
    session_count: int
    last_active: Annotated[str, Field(description="Of its newest session.")]


class ProjectList(BaseModel):
    projects: list[Project]
    indexing: Progress | None = None


class SessionChange(BaseModel):
    """`session_changed` of the socket's session `*`: a transcript appeared, grew, or went."""

    id: Uuid
    project_path: str
    title: str = ""
    message_count: int = 0
    last_active: str | None = None
    gone: bool = False
