"""The line to one Claude Code: the SDK's own, which here also takes the requests that the SDK does not know."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Any, cast

from claude_agent_sdk import ClaudeAgentOptions, Transport
from claude_agent_sdk._internal.transport.subprocess_cli import SubprocessCLITransport

Answering = Callable[[str, Mapping[str, Any]], Awaitable[Mapping[str, Any]]]


class Wire(Transport):
    def __init__(
        self, options: ClaudeAgentOptions, *, elicit: Answering, withdrawn: Callable[[str], Awaitable[None]]
    ) -> None:
        """`elicit` gets a request's id and content, and gives its answer; `withdrawn` hears that none is wanted now."""
        # As the SDK does where it makes the line itself.
        self._line = SubprocessCLITransport(
            prompt=_nothing(), options=replace(options, permission_prompt_tool_name="stdio")
        )
        self._elicit = elicit
        self._withdrawn = withdrawn
        self._answering: dict[str, asyncio.Task[None]] = {}

    async def connect(self) -> None:
        await self._line.connect()

    async def write(self, data: str) -> None:
        await self._line.write(data)

    async def end_input(self) -> None:
        await self._line.end_input()

    def is_ready(self) -> bool:
        return self._line.is_ready()

    async def close(self) -> None:
        for task in self._answering.values():
            task.cancel()
        await self._line.close()

    async def read_messages(self) -> AsyncIterator[dict[str, Any]]:
        async with aclosing(cast("Any", self._line.read_messages())) as messages:
            async for message in messages:
                match message:
                    # What an MCP server wants to know of a person: the SDK would refuse it, and so end the matter.
                    case {"type": "control_request", "request_id": str(name), "request": {"subtype": "elicitation"}}:
                        self._begin(name, message["request"])
                        continue
                    case {"type": "control_cancel_request", "request_id": str(name)} if name in self._answering:
                        await self._withdrawn(name)
                        continue
                yield message

    def _begin(self, name: str, request: Mapping[str, Any]) -> None:
        task = self._answering[name] = asyncio.create_task(self._answer(name, request))
        task.add_done_callback(lambda _: self._answering.pop(name, None))

    async def _answer(self, name: str, request: Mapping[str, Any]) -> None:
        try:
            reply = {"subtype": "success", "response": dict(await self._elicit(name, request))}
        except Exception as problem:  # whatever it is: the server that asked must not wait for ever
            reply = {"subtype": "error", "error": str(problem)}
        response = {"type": "control_response", "response": {"request_id": name, **reply}}
        await self._line.write(json.dumps(response) + "\n")


async def _nothing() -> AsyncIterator[dict[str, Any]]:
    """An empty stream of prompts, which keeps the line open."""
    return
    yield {}
