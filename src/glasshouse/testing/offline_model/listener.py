"""HTTP/1.1 on loopback, as much as one API needs: keep-alive, an answer whole or in chunks, or cut in the middle.

A full web server refuses to break off an answer, logs where it is told to, and takes the process's signals.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import cast

import httptools

_BODY_LIMIT = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Request:
    """Header names are in lower case; `path` is without its query."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    keep_alive: bool


class Exchange:
    """One request and the answer to it: `send`, or `begin`, any number of `write` and an end: `finish` or `cut`."""

    def __init__(self, request: Request, transport: asyncio.Transport, writable: asyncio.Event) -> None:
        self.request = request
        self._transport = transport
        self._writable = writable

    async def send(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        head = self._head(status, {**headers, "content-length": str(len(body))})
        await self._put(head if self.request.method == "HEAD" else head + body)
        self._done()

    async def begin(self, status: int, headers: Mapping[str, str]) -> None:
        await self._put(self._head(status, {**headers, "transfer-encoding": "chunked"}))

    async def write(self, chunk: bytes) -> None:
        await self._put(b"%x\r\n%s\r\n" % (len(chunk), chunk))

    async def finish(self) -> None:
        await self._put(b"0\r\n\r\n")
        self._done()

    def cut(self) -> None:
        """What was written still arrives; the end of the answer never does."""
        self._transport.close()

    def _head(self, status: int, headers: Mapping[str, str]) -> bytes:
        connection = "keep-alive" if self.request.keep_alive else "close"
        lines = [f"HTTP/1.1 {status} {_reason(status)}", f"connection: {connection}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        return "\r\n".join([*lines, "", ""]).encode("latin-1")

    async def _put(self, data: bytes) -> None:
        self._transport.write(data)
        await self._writable.wait()

    def _done(self) -> None:
        if not self.request.keep_alive:
            self._transport.close()


def _reason(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:  # 529, which only this API knows
        return "Overloaded"


Handler = Callable[[Exchange], Awaitable[None]]


class _Connection(asyncio.Protocol):
    """Parses requests and has them answered one after the other; what answers ends with the connection."""

    def __init__(self, handle: Handler, open_connections: set["_Connection"]) -> None:
        self._handle = handle
        self._open_connections = open_connections
        self._parser = httptools.HttpRequestParser(self)
        self._requests: asyncio.Queue[Request] = asyncio.Queue()
        self._writable = asyncio.Event()
        self._writable.set()
        self._begin_request()

    # asyncio's side

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's has its methods, but not its type
        self._open_connections.add(self)
        self._worker = asyncio.get_running_loop().create_task(self._answer())

    def connection_lost(self, exc: Exception | None) -> None:
        self._open_connections.discard(self)
        self._worker.cancel()

    def data_received(self, data: bytes) -> None:
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            self._transport.close()

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    # the parser's side

    def on_message_begin(self) -> None:
        self._begin_request()

    def on_url(self, part: bytes) -> None:
        self._url += part

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_body(self, part: bytes) -> None:
        self._body += part
        if len(self._body) > _BODY_LIMIT:
            self._transport.abort()

    def on_message_complete(self) -> None:
        path = httptools.parse_url(bytes(self._url)).path.decode("latin-1")
        method = self._parser.get_method().decode("latin-1")
        keep_alive = self._parser.should_keep_alive()
        self._requests.put_nowait(Request(method, path, self._headers, bytes(self._body), keep_alive))

    def _begin_request(self) -> None:
        self._url = bytearray()
        self._headers: dict[str, str] = {}
        self._body = bytearray()

    # ours

    async def _answer(self) -> None:
        try:
            while True:
                request = await self._requests.get()
                await self._handle(Exchange(request, self._transport, self._writable))
        finally:  # nobody would answer the next one, so nobody may wait for it
            self._transport.abort()

    async def end(self) -> None:
        self._worker.cancel()
        await asyncio.wait({self._worker})


class Listener:
    """Listens on a free port of 127.0.0.1, in the running event loop."""

    def __init__(self, handle: Handler) -> None:
        self._handle = handle
        self._connections: set[_Connection] = set()

    async def start(self) -> int:
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(
            lambda: _Connection(self._handle, self._connections), host="127.0.0.1", port=0
        )
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def stop(self) -> None:
        self._server.close()
        await asyncio.gather(*(connection.end() for connection in list(self._connections)))
        await self._server.wait_closed()
