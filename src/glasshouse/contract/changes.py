"""What a session has changed in its directory, file by file, and putting one of them back."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictStr

from glasshouse.contract.ids import Uuid


class FileKind(StrEnum):
    FILE = "file"
    PROGRAM = "program"
    LINK = "link"
    REPOSITORY = "repository"


class FileChange(BaseModel):
    path: str = Field(description="In the session's directory. Bytes that are no UTF-8 are shown as `\\xff`.")
    old_path: str | None = Field(None, description="What it was called before.")
    status: Literal["added", "modified", "deleted", "renamed"]
    kind: FileKind | None = Field(None, description="What it is now, or was; null for a large one.")
    old_kind: FileKind | None = Field(None, description="What it was, where that is something else.")
    additions: int | None = Field(None, description="In lines; null where it has none.")
    deletions: int | None = None
    binary: bool = False
    large: bool = Field(False, description="Known by its size and time alone: it is not shown, and cannot be put back.")
    state: str = Field(description="What it is at this moment, as `expected` of a revert.")
    diff: str | None = Field(None, description="Unified; null where it is cut, large or binary.")
    cut: bool = Field(False, description="Too long to be shown here: ask for this `path` alone, or for the patch.")


class SessionDiff(BaseModel):
    """Against the directory as it was before the session's first task, uncommitted and untracked files included."""

    session_id: Uuid
    working_dir: str
    available: bool
    reason: str | None = Field(None, description="Why there is none.")
    message: str | None = Field(None, description="The same, for people.")
    recorded_at: str | None = Field(None, description="When the directory was as it is compared with.")
    files: list[FileChange] = []
    total: int = Field(0, description="How many files differ; `files` has the first 2,000.")
    additions: int = 0
    deletions: int = 0


class RevertRequest(BaseModel):
    """The body of `POST /api/sessions/{session_id}/revert`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: Annotated[StrictStr, Field(min_length=1, max_length=20_000)] = Field(description="As the diff shows it.")
    expected: Annotated[StrictStr, Field(max_length=100)] | None = Field(
        None,
        description="`state` of the file as it was shown: anything newer is refused. "
        "Not given: what was changed after the session's last task is refused.",
    )


class Reverted(BaseModel):
    success: Literal[True] = True
    message: str
    path: str
    restored: str | None = Field(None, description="The file that was put back; null where one was removed.")
