"""The server as it listens: raw bytes over loopback, where no client tidies up what is sent."""

import asyncio
import base64
import json
import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.support.bench import PATIENCE_S, Bench
from tests.support.served import KEY, Served

from glasshouse.core.settings import Settings
from glasshouse.entrypoints.http import bounded_head
from glasshouse.entrypoints.http.server import Server
from glasshouse.testing.scripted_engine import Gate, says, waits_at


class Wire:
    """A server that listens on a port of loopback."""

    def __init__(self, served: Served) -> None:
        self.served = served
        self.bench = served.bench
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._ready = asyncio.Event()
        self.server = Server(served.services, on_ready=self._ready.set)
        self._serving = asyncio.create_task(self.server.serve(sockets=[self._listener]))

    async def ready(self) -> None:
        async with asyncio.timeout(PATIENCE_S):
            await self._ready.wait()

    async def stop(self) -> None:
        self.server.should_exit = True
        async with asyncio.timeout(PATIENCE_S):
            await self._serving
        self._listener.close()

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            async with asyncio.timeout(PATIENCE_S):
                yield reader, writer
        finally:
            writer.close()

    async def exchanged(self, request: bytes) -> bytes:
        """All that comes back until the server closes, or the answer's end by its own length."""
        async with self.connected() as (reader, writer):
            writer.write(request)
            return await answered(reader)

    async def status(self, request: bytes) -> int:
        return int((await self.exchanged(request)).split(b" ", 2)[1])

    def head(self, line: str, *headers: str, key: bool = True) -> bytes:
        own = [f"Host: 127.0.0.1:{self.port}", *([f"X-API-Key: {KEY}"] if key else [])]
        return "\r\n".join([line, *own, *headers, "", ""]).encode("latin-1")

    def post(self, body: bytes, *headers: str, path: str = "/api/task", key: bool = True) -> bytes:
        given = ("Content-Type: application/json", f"Content-Length: {len(body)}", *headers)
        return self.head(f"POST {path} HTTP/1.1", *given, key=key) + body


async def answered(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    length = next((line[15:] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), b"0")
    return head + await reader.readexactly(int(length))


@pytest.fixture
async def wire(tmp_path: Path) -> AsyncIterator[Wire]:
    wire = Wire(Served(Bench(tmp_path), Settings(rate_limit=0)))
    await wire.ready()
    yield wire
    await wire.stop()


# faults: F4
async def test_an_event_is_on_the_wire_as_soon_as_it_is_said(wire: Wire) -> None:
    gate = Gate()
    wire.bench.engine.script = (says("first"), waits_at(gate))
    async with wire.connected() as (reader, writer):
        writer.write(wire.post(b'{"prompt": "x"}', path="/api/task/stream"))
        head = await reader.readuntil(b"\r\n\r\n")
        info, text = [await chunk(reader) for _ in range(2)]
        gate.open()
        complete, end = [await chunk(reader) for _ in range(2)]

    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"content-type: text/event-stream; charset=utf-8\r\n" in head
    assert b"server:" not in head.lower()
    for number, event in enumerate((info, text, complete), 1):
        assert event.startswith(b'id: %d\ndata: {"' % number)
        assert event.endswith(b"}\n\n")
        assert event.count(b"\n") == 3
    assert end == b""


async def chunk(reader: asyncio.StreamReader) -> bytes:
    size = int((await reader.readuntil(b"\r\n")).strip(), 16)
    return (await reader.readexactly(size + 2))[:-2]


# faults: A9
async def test_a_stranger_with_100_megabytes_is_answered_before_they_are_sent(wire: Wire) -> None:
    head = wire.head(
        "POST /api/task HTTP/1.1",
        "Content-Type: multipart/form-data; boundary=" + "x" * 8000,
        "Content-Length: 100000000",
        key=False,
    )
    async with wire.connected() as (reader, writer):
        writer.write(head)
        answer = await answered(reader)
        assert answer.startswith(b"HTTP/1.1 401 ")
        assert await reader.read() == b""


# faults: H3
async def test_a_body_without_an_end_is_answered_while_it_is_still_being_sent(wire: Wire) -> None:
    piece = b"100000\r\n" + b" " * 0x100000 + b"\r\n"
    head = wire.head("POST /api/task HTTP/1.1", "Content-Type: application/json", "Transfer-Encoding: chunked")
    async with wire.connected() as (reader, writer):
        writer.write(head)
        sending = asyncio.create_task(send_until_closed(writer, piece))
        answer = await answered(reader)
        sending.cancel()

    assert answer.startswith(b"HTTP/1.1 413 ")


async def send_until_closed(writer: asyncio.StreamWriter, piece: bytes) -> int:
    for sent in range(1000):
        writer.write(piece)
        try:
            await writer.drain()
        except ConnectionError:
            return sent
    return 1000


# faults: B2 C6
@pytest.mark.parametrize(
    "target",
    [
        "/assets/../api/status",
        "/assets/%2e%2e/api/status",
        "/docs/../../../../etc/passwd",
        "/assets/..%2f..%2f..%2fetc%2fpasswd",
        "/assets/%252e%252e%252fetc%252fpasswd",
        "/assets/..\\..\\etc\\passwd",
        "/assets/%00",
        "/assets/%c0%ae%c0%ae/etc/passwd",
        "/assets/%ff",
        "/assets//etc/passwd",
        "//etc/passwd",
        "/" + "a" * 5000,
        "/api/blobs/%0d%0aSet-Cookie:%20x=y",
        "/api/task/%0d%0aX:%20y",
        "*",
        "http://evil.com/",
        "/api/status?x=%0d%0aX: y",
    ],
)
async def test_odd_paths_lead_nowhere_and_split_nothing(wire: Wire, target: str) -> None:
    for key in (True, False):
        answer = await wire.exchanged(wire.head(f"GET {target} HTTP/1.1", "Connection: close", key=key))
        head, _, body = answer.partition(b"\r\n\r\n")

        assert 200 <= int(head.split(b" ", 2)[1]) < 500
        assert b"root:" not in body
        assert b"set-cookie" not in head.lower()
        assert b"\r\nx:" not in head.lower()
        assert key or b"allowed_directories" not in body


# faults: A3 H3
@pytest.mark.parametrize(
    "request_",
    [
        b"GET /api/status HTTP/1.1\r\nX-API-Key: KEY\r\n\r\n",
        b"GET /api/status HTTP/1.0\r\nX-API-Key: KEY\r\n\r\n",
        b"GET /api/status HTTP/1.1\r\nHost: evil.com\r\nHost: 127.0.0.1\r\nX-API-Key: KEY\r\n\r\n",
        b"GET /api/status HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: KEY\r\nX-API-Key: KEY\r\n\r\n",
        b"GET /api/status HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: \xff\xfe\r\n\r\n",
        b"POST /api/task HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        b"POST /api/task HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -5\r\n\r\n",
        b"nonsense\r\n\r\n",
    ],
)
async def test_odd_requests_are_refused_and_no_fault(wire: Wire, request_: bytes) -> None:
    async with wire.connected() as (reader, writer):
        writer.write(request_.replace(b"KEY", KEY.encode()))
        try:
            answer = await reader.readuntil(b"\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            return  # closed without a word

    assert answer.split(b" ", 2)[1] in (b"400", b"401", b"403", b"431")


# faults: H3
@pytest.mark.parametrize("more", [b"a" * 65_536, b"a: b\r\n" * 10_000], ids=["one header", "many headers"])
async def test_a_head_without_an_end_is_cut_off(wire: Wire, more: bytes) -> None:
    async with wire.connected() as (_, writer):
        writer.write(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ")

        assert await send_until_closed(writer, more) < 1000


# faults: A7
async def test_the_peer_is_who_asks_whatever_its_headers_say(wire: Wire) -> None:
    for n in range(3):
        await wire.status(
            wire.head("GET /api/status HTTP/1.1", f"X-Forwarded-For: 10.0.0.{n}", "X-API-Key: x", key=False)
        )

    assert list(wire.served.services.wrong_keys._taken) == ["127.0.0.1"]


class TestSockets:
    def handshake(self, wire: Wire, *headers: str, key: bool = True) -> bytes:
        return wire.head(
            "GET /api/events/ws HTTP/1.1",
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}",
            *headers,
            key=key,
        )

    async def test_a_stranger_is_refused_with_a_reason_and_never_accepted(self, wire: Wire) -> None:
        answer = await wire.exchanged(self.handshake(wire, key=False))

        assert answer.startswith(b"HTTP/1.1 401 ")
        assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"] == "unauthorized"

    # faults: A4
    async def test_a_foreign_page_is_refused(self, wire: Wire) -> None:
        assert (await wire.exchanged(self.handshake(wire, "Origin: http://evil.com"))).startswith(b"HTTP/1.1 403 ")

    async def test_who_has_the_key_is_heard(self, wire: Wire) -> None:
        async with wire.connected() as (reader, writer):
            writer.write(self.handshake(wire))
            assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 101 ")
            writer.write(frame(b'{"op": "ping"}'))
            assert await heard(reader) == (1, b'{"op":"pong"}')

    # faults: H3
    async def test_a_frame_of_sixteen_megabytes_closes_it(self, wire: Wire) -> None:
        async with wire.connected() as (reader, writer):
            writer.write(self.handshake(wire))
            await reader.readuntil(b"\r\n\r\n")
            writer.write(frame(b" " * (16 * 1024 * 1024))[:200_000])
            kind, body = await heard(reader)

        assert (kind, int.from_bytes(body[:2])) == (8, 1009)

    # faults: J1
    async def test_a_server_that_goes_says_restart(self, wire: Wire) -> None:
        async with wire.connected() as (reader, writer):
            writer.write(self.handshake(wire))
            await reader.readuntil(b"\r\n\r\n")
            writer.write(frame(b'{"op": "subscribe", "session_id": "*"}'))
            await heard(reader)
            wire.server.should_exit = True
            kind, body = await heard(reader)

        assert (kind, int.from_bytes(body[:2])) == (8, 1012)


def frame(body: bytes) -> bytes:
    """A client's text frame, masked as it must be (with zeros)."""
    size = len(body)
    length = (
        bytes([0x80 | size])
        if size < 126
        else b"\xfe" + size.to_bytes(2)
        if size < 65_536
        else b"\xff" + size.to_bytes(8)
    )
    return b"\x81" + length + bytes(4) + body


async def heard(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """The next frame's kind and body."""
    first, size = await reader.readexactly(2)
    if size == 126:
        size = int.from_bytes(await reader.readexactly(2))
    return first & 0x0F, await reader.readexactly(size)


# faults: J1 J3
async def test_a_server_that_goes_lets_everybody_go(wire: Wire) -> None:
    gate, second = Gate(), Gate()
    wire.bench.engine.plays("x", waits_at(gate))
    wire.bench.engine.plays("y", waits_at(second))
    async with wire.connected() as (reader, writer), wire.connected() as (other, asking):
        writer.write(wire.post(b'{"prompt": "x"}', path="/api/task/stream"))
        await reader.readuntil(b"\r\n\r\n")
        await chunk(reader)
        asking.write(wire.post(b'{"prompt": "y"}'))
        await gate.reached.wait()
        await second.reached.wait()

        await wire.stop()

        assert await chunk(reader) == b""
        assert (await answered(other)).startswith(b"HTTP/1.1 503 ")
    assert wire.server.start_failure is None


async def test_a_start_that_fails_is_told_and_ends_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    served = Served(Bench(tmp_path))

    async def broken() -> None:
        raise OSError("damaged")

    monkeypatch.setattr(served.services.store, "open", broken)
    wire = Wire(served)
    async with asyncio.timeout(PATIENCE_S):
        await wire._serving

    assert str(wire.server.start_failure) == "damaged"
    assert not wire._ready.is_set()
    wire._listener.close()


@pytest.mark.parametrize("begun", [b"", b"GET /health HTTP/1.1\r\nHost: loc"], ids=["nothing", "half a head"])
async def test_who_does_not_finish_a_head_is_let_go(  # faults: H3
    wire: Wire, monkeypatch: pytest.MonkeyPatch, begun: bytes
) -> None:
    monkeypatch.setattr(bounded_head, "HEAD_WITHIN_S", 0.1)
    async with wire.connected() as (reader, writer):
        writer.write(begun)
        assert await reader.read() == b""
