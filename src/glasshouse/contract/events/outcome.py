"""How a task goes wrong and how it ends."""

from typing import Literal

from pydantic import BaseModel, Field

from glasshouse.contract.events.base import Event, Truncated
from glasshouse.contract.task import Failure, TaskStatus


class ErrorMetadata(BaseModel):
    error: Failure
    detail: str | None = None
    lifts_at: str | None = Field(
        None, description="Of a limit, when it lifts; left out if nobody knows.", exclude_if=lambda value: value is None
    )


class Error(Event):
    type: Literal["error"] = "error"
    metadata: ErrorMetadata
    truncated: Truncated | None = None


class CompleteMetadata(BaseModel):
    session_id: str
    status: TaskStatus
    is_error: bool = Field(description="True for every status but completed.")
    cost_usd: float | None = None
    duration_ms: int | None = None
    num_turns: int | None = None
    files_changed: list[str] = []
    tools_used: list[str] = []
    unknown: list[str] = Field([], description="Calls that had begun and whose results nobody saw.")


class Complete(Event):
    """The one end of a task."""

    type: Literal["complete"] = "complete"
    metadata: CompleteMetadata
    truncated: Truncated | None = None
