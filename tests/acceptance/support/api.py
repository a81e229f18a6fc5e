"""A program that uses a server, and takes its streams apart byte by byte."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from glasshouse.testing.server_process import ServerProcess

WITHIN_S = 40.0


@dataclass(frozen=True)
class Event:
    """`id` is None for a live one."""

    id: int | None
    data: dict[str, Any]

    @property
    def type(self) -> str:
        return str(self.data["type"])

    @property
    def metadata(self) -> dict[str, Any]:
        found: dict[str, Any] = self.data.get("metadata") or {}
        return found


class Stream:
    """One response of Server-Sent Events; what was taken from it stays in `seen`."""

    def __init__(self, response: httpx.Response) -> None:
        self.response = response
        self.seen: list[Event] = []
        self._blocks = _blocks(response)

    @property
    def task_id(self) -> str:
        return self.response.headers["x-task-id"]

    def __aiter__(self) -> AsyncIterator[Event]:
        return self

    async def __anext__(self) -> Event:
        event = _event(await anext(self._blocks))
        self.seen.append(event)
        return event

    async def first(self, kind: str) -> Event:
        async with asyncio.timeout(WITHIN_S):
            async for event in self:
                if event.type == kind:
                    return event
        raise AssertionError(f"the stream ended without {kind}: {[event.type for event in self.seen]}")

    async def rest(self) -> list[Event]:
        """To the end of the stream; all of it, with what was seen before."""
        async with asyncio.timeout(WITHIN_S):
            async for _ in self:
                pass
        return self.seen


class Api:
    """Works in a directory of its own; `tools` are Bash where nothing else is said."""

    def __init__(self, server: ServerProcess, directory: Path) -> None:
        self.directory = directory
        # As many connections as there are streams: httpx would stop at a hundred.
        self.http = httpx.AsyncClient(
            base_url=server.url, headers=server.headers, timeout=WITHIN_S, trust_env=False, limits=httpx.Limits()
        )

    def body(self, prompt: str, **fields: Any) -> dict[str, Any]:
        return {"prompt": prompt, "working_dir": str(self.directory), "tools": ["Bash"], **fields}

    async def post(self, prompt: str, **fields: Any) -> httpx.Response:
        return await self.http.post("/api/task", json=self.body(prompt, **fields))

    async def run(self, prompt: str, **fields: Any) -> dict[str, Any]:
        response = await self.post(prompt, **fields)
        assert response.status_code == 200, response.text
        answer: dict[str, Any] = response.json()
        return answer

    async def begin(self, prompt: str, **fields: Any) -> dict[str, Any]:
        """Admitted, not awaited; the task's state."""
        response = await self.post(prompt, wait_s=0, **fields)
        assert response.status_code == 202, response.text
        state: dict[str, Any] = response.json()
        return state

    async def state(self, task_id: str) -> dict[str, Any]:
        response = await self.http.get(f"/api/task/{task_id}")
        assert response.status_code == 200, response.text
        state: dict[str, Any] = response.json()
        return state

    async def stop(self, task_id: str) -> dict[str, Any]:
        response = await self.http.delete(f"/api/task/{task_id}")
        assert response.status_code == 200, response.text
        state: dict[str, Any] = response.json()
        return state

    @asynccontextmanager
    async def stream(self, prompt: str, *, deltas: bool = False, **fields: Any) -> AsyncIterator[Stream]:
        path = "/api/task/stream" + ("?deltas=true" if deltas else "")
        async with self.http.stream("POST", path, json=self.body(prompt, **fields)) as response:
            if response.status_code != 200:
                raise AssertionError((await response.aread()).decode())
            yield Stream(response)

    @asynccontextmanager
    async def follow(
        self, task_id: str, *, after: int | None = None, headers: Mapping[str, str] | None = None
    ) -> AsyncIterator[Stream]:
        parameters = {} if after is None else {"after": str(after)}
        path = f"/api/task/{task_id}/stream"
        async with self.http.stream("GET", path, params=parameters, headers=headers) as response:
            assert response.status_code == 200, response.status_code
            yield Stream(response)

    async def events(self, task_id: str, *, after: int | None = None) -> list[Event]:
        """Of a task, to its end."""
        async with self.follow(task_id, after=after) as stream:
            return await stream.rest()

    async def ended(self, task_id: str) -> dict[str, Any]:
        await self.events(task_id)
        return await self.state(task_id)


async def _blocks(response: httpx.Response) -> AsyncIterator[bytes]:
    kept = b""
    async for part in response.aiter_raw():
        *blocks, kept = (kept + part).split(b"\n\n")
        for block in blocks:
            if not block.startswith(b":"):
                yield block
    assert kept == b"", f"the stream ended in the middle of an event: {kept!r}"


def _event(block: bytes) -> Event:
    """An id line (not for live events) and one data line, nothing else."""
    *number, data = block.split(b"\n")
    assert data.startswith(b"data: {") and len(number) <= 1, block
    event_id = None
    if number:
        assert number[0].startswith(b"id: "), block
        event_id = int(number[0][4:])
    return Event(event_id, json.loads(data[6:]))
