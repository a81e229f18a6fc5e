"""HTTP/1.1 as small as can be: one request a connection, and lines as they arrive."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

_LINE_LIMIT = 1024 * 1024


def request(method: str, url: str, path: str, headers: Mapping[str, str], body: object = None) -> bytes:
    content = b"" if body is None else json.dumps(body).encode()
    lines = [f"{method} {path} HTTP/1.1", f"Host: {urlsplit(url).netloc}", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    if body is not None:
        lines += ["Content-Type: application/json", f"Content-Length: {len(content)}"]
    return "\r\n".join([*lines, "", ""]).encode() + content


def status_of(url: str, path: str) -> int:
    with socket.create_connection(address_of(url), timeout=5) as connection:
        connection.sendall(request("GET", url, path, {}))
        with connection.makefile("rb") as answer:
            return int(answer.readline().split()[1])


async def call(method: str, url: str, path: str, headers: Mapping[str, str], body: object = None) -> Any:
    """The JSON that comes back."""
    async with _answer(method, url, path, headers, body) as answer:
        while (line := await answer.readline()).strip():
            assert not line.lower().startswith(b"transfer-encoding"), "only answers of known length are read"
        return json.loads(await answer.read())


async def events(url: str, path: str, headers: Mapping[str, str], body: object) -> AsyncIterator[dict[str, Any]]:
    """The events of a POST that is answered by a stream."""
    async with _answer("POST", url, path, headers, body) as answer:
        async for line in answer:
            # One event is one write, and so one chunk: its lines are whole.
            if line.startswith(b"data: "):
                yield json.loads(line.removeprefix(b"data: "))


@asynccontextmanager
async def _answer(
    method: str, url: str, path: str, headers: Mapping[str, str], body: object
) -> AsyncIterator[asyncio.StreamReader]:
    reader, writer = await asyncio.open_connection(*address_of(url), limit=_LINE_LIMIT)
    try:
        writer.write(request(method, url, path, headers, body))
        status = int((await reader.readline()).split()[1])
        if status >= 400:
            raise RuntimeError(f"{method} {path} was answered {status}: {(await reader.read())!r}")
        yield reader
    finally:
        writer.close()


def address_of(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    assert parts.hostname is not None and parts.port is not None
    return parts.hostname, parts.port
