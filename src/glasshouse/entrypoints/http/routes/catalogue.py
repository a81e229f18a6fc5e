"""What a task can be given: tools, directories, slash commands, examples."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel

from glasshouse.contract.command import Commands
from glasshouse.contract.example import Example
from glasshouse.contract.task import EngineName
from glasshouse.entrypoints.http.errors import language_of
from glasshouse.entrypoints.http.services import Of

router = APIRouter(prefix="/api", tags=["catalogue"])


class Tool(BaseModel):
    name: str
    description: str
    offered: bool
    allowed: bool


class Tools(BaseModel):
    tools: list[Tool]


class DirectoryNames(BaseModel):
    directories: list[str]


class Examples(BaseModel):
    examples: list[Example]


@router.get("/tools")
async def tools(services: Of, engine: EngineName = "claude") -> Tools:
    """The engine's tools; `offered`: this version has it, `allowed`: the operator lets it be used."""
    allowed = services.settings.allowed_tools
    return Tools(
        tools=[
            Tool(
                name=tool.name,
                description=tool.description,
                offered=tool.offered,
                allowed=allowed is None or tool.name in allowed,
            )
            for tool in services.engines[engine].tools()
        ]
    )


@router.get("/directories")
async def directories(services: Of, prefix: Annotated[str, Query(max_length=4096)] = "") -> DirectoryNames:
    """Directories that a task may work in, whose path begins so: for completion while typing."""
    found = await asyncio.to_thread(services.directories.complete, prefix)
    return DirectoryNames(directories=found)


@router.get("/commands")
async def commands(
    request: Request,
    services: Of,
    working_dir: Annotated[str | None, Query(max_length=4096, description="Default: the configured one.")] = None,
    engine: EngineName = "claude",
) -> Commands:
    """Slash commands that a prompt may begin with: built in, the user's, the project's, and those of plugins."""
    places = services.directories
    directory = await asyncio.to_thread(places.guard.check, str(places.default) if working_dir is None else working_dir)
    found = await asyncio.to_thread(services.engines[engine].commands, directory, language_of(request.headers))
    return Commands(commands=list(found))


@router.get("/examples")
async def examples(request: Request, services: Of) -> Examples:
    """Tasks to try; while the demo model is on, those that it can do."""
    return Examples(examples=list(services.examples(language_of(request.headers))))
