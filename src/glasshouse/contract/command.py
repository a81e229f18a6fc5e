"""Slash commands, as they are listed for completion."""

from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, Field


class CommandSource(StrEnum):
    BUILTIN = "builtin"
    USER = "user"
    PROJECT = "project"
    PLUGIN = "plugin"


class Command(BaseModel):
    name: str = Field(description="As it is typed, without the slash.")
    description: str = ""
    argument_hint: str = ""
    source: CommandSource
    kind: Literal["command", "skill"] = "command"


class Commands(BaseModel):
    commands: list[Command]
