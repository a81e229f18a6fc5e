"""A tool is called, and gives its result."""

from typing import Any, Literal

from pydantic import Field

from glasshouse.contract.events.base import FromTranscript, Truncated


class ToolUse(FromTranscript):
    type: Literal["tool_use"] = "tool_use"
    tool_name: str
    tool_input: dict[str, Any]
    tool_use_id: str
    truncated: Truncated | None = None


class ToolResult(FromTranscript):
    type: Literal["tool_result"] = "tool_result"
    tool_name: str | None = None
    tool_use_id: str
    is_error: bool
    files_changed: list[str] | None = Field(
        None, description="Files that this call changed, relative to the working directory where inside it."
    )
    truncated: Truncated | None = None
