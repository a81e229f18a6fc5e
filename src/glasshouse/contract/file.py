"""Files of a working directory, as they are named and shown."""

from typing import Literal

from pydantic import BaseModel, Field


class FileNames(BaseModel):
    """Best first, relative to the working directory; folders end in a slash."""

    files: list[str]
    complete: bool = Field(description="False: the directory holds more than was looked at.")


class FilePreview(BaseModel):
    path: str = Field(description="Relative to the working directory, links resolved.")
    size: int
    encoding: Literal["utf-8", "base64"]
    content: str = Field(description="Empty for what is no text and is too large.")
    truncated: bool = Field(description="Only the beginning of it is here.")
