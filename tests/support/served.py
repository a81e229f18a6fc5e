"""The real application over a workbench, and ways to talk to it: whole answers, open streams, sockets."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
from tests.support.bench import PATIENCE_S, Bench

from glasshouse.adapters.data_directory import DataDirectory
from glasshouse.adapters.file_tree import LocalFileTree
from glasshouse.bootstrap import Services
from glasshouse.claude_home import SubAgents
from glasshouse.contract.example import Example
from glasshouse.contract.phrase import Language
from glasshouse.contract.self_check import SelfCheck
from glasshouse.core.access import Access
from glasshouse.core.agents import SessionAgents
from glasshouse.core.changes import Changes
from glasshouse.core.files import Files
from glasshouse.core.limits import SlidingWindow
from glasshouse.core.retention import Retention
from glasshouse.core.self_check import SelfChecks
from glasshouse.core.settings import Settings
from glasshouse.entrypoints.http.app import create_app
from glasshouse.testing.no_processes import NoProcesses

KEY = "a-key-for-tests-only-0123456789"
HOST = "localhost:8000"
Headers = tuple[tuple[str, str], ...]
AUTHORISED: Headers = (("authorization", f"Bearer {KEY}"),)


class Served:
    def __init__(self, bench: Bench, settings: Settings | None = None) -> None:
        self.bench = bench
        self.data = DataDirectory(bench.root / "data")
        self.data.prepare()
        settings = settings or Settings(rate_limit=0)
        self.services = Services(
            version="0.0.0",
            settings=settings,
            directories=bench.directories,
            clock=bench.clock,
            store=bench.store,
            attachments=bench.attachments,
            queue=bench.queue,
            processes=NoProcesses(),
            engines={bench.engine.name: bench.engine},
            uptime=bench.uptime,
            retention=Retention(
                store=bench.store,
                trees=bench.trees,
                attachments=bench.attachments,
                clock=bench.clock,
                days=settings.retention_days,
            ),
            desk=bench.desk,
            sessions=bench.sessions,
            visible=bench.visible,
            forks=bench.forks,
            self_checks=SelfChecks(
                by_itself=False, build=lambda: None, examine=_never, memory=self.data, defer=lambda _: None
            ),
            conversation=bench.conversation,
            files=Files(bench.directories.guard, LocalFileTree()),
            agents=SessionAgents(
                store=bench.store,
                files=SubAgents(home=bench.claude_home, offline_home=bench.claude_home),
                visible=bench.visible,
                execution=bench.execution,
                desk=bench.desk,
                language="en",
            ),
            index=bench.index,
            history=bench.history,
            access=Access(key=KEY, spend_code=self.data.spend_code, store=bench.store, clock=bench.clock),
            admission=bench.admission,
            instructions=bench.instructions,
            execution=bench.execution,
            rewind=bench.rewind,
            changes=Changes(
                store=bench.store,
                visible=bench.visible,
                trees=bench.trees,
                workplaces=bench.workplaces,
                clock=bench.clock,
                language="en",
            ),
            cookie="glasshouse_test",
            wrong_keys=SlidingWindow(10, bench.clock),
            task_rates={
                path: SlidingWindow(settings.rate_limit, bench.clock) for path in ("/api/task", "/api/task/stream")
            },
            examples=_examples,
            stop_offline_model=_nothing,
        )
        self.app = create_app(self.services)

    def client(self, headers: Headers = AUTHORISED, *, address: str = "127.0.0.1") -> httpx.AsyncClient:
        transport = httpx.ASGITransport(self.app, raise_app_exceptions=False, client=(address, 50_000))
        return httpx.AsyncClient(transport=transport, base_url=f"http://{HOST}", headers=_raw(headers), timeout=None)

    def call(
        self,
        method: str,
        target: str,
        body: Any = None,
        headers: Headers = (),
        *,
        server: str = "127.0.0.1",
        unfinished: bytes = b"",
    ) -> "OpenStream":
        """`unfinished` is the beginning of a body whose rest does not come."""
        path, _, query = target.partition("?")
        scope = _scope("http", path, query, _raw((("content-type", "application/json"), *AUTHORISED, *headers)))
        content = unfinished or (b"" if body is None else json.dumps(body).encode())
        request = {"type": "http.request", "body": content, "more_body": bool(unfinished)}
        return OpenStream(self.app, {**scope, "method": method, "scheme": "http", "server": (server, 8000)}, request)

    async def stream(self, method: str, target: str, body: Any = None, headers: Headers = ()) -> "OpenStream":
        """Returns once the answer has begun."""
        stream = self.call(method, target, body, headers)
        await stream.begun()
        return stream

    async def socket(self, headers: Headers = AUTHORISED, path: str = "/api/events/ws") -> "Socket":
        """Returns once the handshake is answered."""
        socket = Socket(self.app, path, headers)
        await socket.answered()
        return socket


@asynccontextmanager
async def serving(served: Served) -> AsyncIterator[Served]:
    await served.services.start()
    try:
        yield served
    finally:
        async with asyncio.timeout(PATIENCE_S):
            await served.services.drain()
            await served.services.close()


class OpenStream:
    """A request whose answer is read write by write, as the server hands it out."""

    def __init__(self, app: Any, scope: dict[str, Any], request: dict[str, Any]) -> None:
        self._inbox: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._outbox: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._inbox.put_nowait(request)
        self._reads = asyncio.Semaphore(1_000_000)
        self._call = asyncio.create_task(app(scope, self._inbox.get, self._take))
        self._ended = False
        self.status = 0
        self.headers: httpx.Headers = httpx.Headers()

    async def begun(self) -> None:
        start = await self._next()
        self.status, self.headers = start["status"], httpx.Headers(start["headers"])

    async def write(self) -> bytes:
        """The next write; empty at the end."""
        if self._ended:
            return b""
        message = await self._next()
        self._ended = not message.get("more_body", False)
        return bytes(message.get("body", b""))

    async def event(self) -> dict[str, Any]:
        return event_in(await self.write())

    async def rest(self) -> list[bytes]:
        """Every write to the end of the answer."""
        writes = []
        while body := await self.write():
            writes.append(body)
        await self.over()
        return writes

    async def events(self) -> list[dict[str, Any]]:
        return [event_in(write) for write in await self.rest()]

    async def leave(self) -> None:
        """The reader goes; returns when the server is done with it."""
        self._inbox.put_nowait({"type": "http.disconnect"})
        await self.over()

    async def over(self) -> None:
        async with asyncio.timeout(PATIENCE_S):
            await self._call

    def stop_reading_after(self, writes: int) -> None:
        """The connection stays open and takes so many writes more; then its buffers are full."""
        self._reads = asyncio.Semaphore(writes)

    async def _take(self, message: dict[str, Any]) -> None:
        await self._reads.acquire()
        self._outbox.put_nowait(message)

    async def _next(self) -> dict[str, Any]:
        async with asyncio.timeout(PATIENCE_S):
            return await self._outbox.get()


class Socket:
    """A WebSocket's client. `refused` is the status of the answer where the handshake was not accepted."""

    def __init__(self, app: Any, path: str, headers: Headers) -> None:
        scope = _scope("websocket", path, "", _raw(headers))
        scope |= {"scheme": "ws", "subprotocols": [], "extensions": {"websocket.http.response": {}}}
        self._inbox: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._outbox: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._inbox.put_nowait({"type": "websocket.connect"})
        self._call = asyncio.create_task(app(scope, self._inbox.get, self._outbox.put))
        self.refused: int | None = None
        self.closed: int | None = None

    async def answered(self) -> None:
        first = await self._next()
        if first["type"] == "websocket.http.response.start":
            self.refused = first["status"]

    def say(self, message: Any) -> None:
        self.send(json.dumps(message))

    def send(self, text: str) -> None:
        self._inbox.put_nowait({"type": "websocket.receive", "text": text})

    def send_bytes(self, data: bytes) -> None:
        self._inbox.put_nowait({"type": "websocket.receive", "bytes": data})

    async def hear(self) -> dict[str, Any]:
        message = await self._next()
        assert message["type"] == "websocket.send", message
        heard: dict[str, Any] = json.loads(message["text"])
        return heard

    async def ask(self, message: Any) -> dict[str, Any]:
        self.say(message)
        return await self.hear()

    async def hear_close(self) -> int:
        while (message := await self._next())["type"] != "websocket.close":
            pass
        return int(message["code"])

    async def leave(self) -> None:
        self._inbox.put_nowait({"type": "websocket.disconnect", "code": 1001})
        async with asyncio.timeout(PATIENCE_S):
            await self._call

    async def _next(self) -> dict[str, Any]:
        async with asyncio.timeout(PATIENCE_S):
            return await self._outbox.get()


def event_in(write: bytes) -> dict[str, Any]:
    """What a write of one event says, `id` beside its fields (None: a live one)."""
    lines = write.decode().split("\n")
    assert lines[-2:] == ["", ""], write
    assert len(lines) in (3, 4), write
    number = int(lines[0].removeprefix("id: ")) if len(lines) == 4 else None
    event: dict[str, Any] = json.loads(lines[-3].removeprefix("data: "))
    return {"id": number, **event}


def _scope(kind: str, path: str, query: str, headers: list[tuple[bytes, bytes]]) -> dict[str, Any]:
    if not any(name == b"host" for name, _ in headers):
        headers = [(b"host", HOST.encode()), *headers]
    return {
        "type": kind,
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": headers,
        "client": ("127.0.0.1", 50_000),
        "server": ("127.0.0.1", 8000),
    }


def _raw(headers: Headers) -> list[tuple[bytes, bytes]]:
    return [(name.lower().encode(), value.encode("latin-1")) for name, value in headers]


def _examples(language: Language) -> list[Example]:
    title = "列出文件" if language == "zh" else "List files"
    return [Example(id="list", title=title, description="", prompt="list", tools=("Read",), permission_mode="default")]


async def _never() -> SelfCheck:
    raise AssertionError("nothing is to be examined here")


async def _nothing() -> None:
    pass
