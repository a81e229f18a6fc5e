"""The fastest fan-out on a bare ASGI server: bytes made beforehand, one list for all, and a future for who waits.

`python -m benchmarks.bare_fan_out EVENTS` prints its port; it runs until it is told to end.
"""

import asyncio
import socket
import sys
from collections.abc import Sequence

import uvicorn
from starlette.types import Receive, Scope, Send

from benchmarks.fan_out_source import BURST, TEXT, Begin
from glasshouse.contract.events import Text
from glasshouse.contract.ids import new_id
from glasshouse.core.encoding import entry_of
from glasshouse.core.ports import Frame


class FanOut:
    """All who are connected when it begins read the same events as they come about."""

    def __init__(self, events: Sequence[bytes]) -> None:
        self._events = events
        self._published: list[bytes] = []
        self._waiting: list[asyncio.Future[None]] = []

    async def publish(self) -> None:
        published: list[bytes] = []
        self._published = published
        for first in range(0, len(self._events), BURST):
            published.extend(self._events[first : first + BURST])
            self._wake()
            await asyncio.sleep(0)

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for reader in waiting:
            if not reader.done():
                reader.set_result(None)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [(b"content-type", b"text/event-stream")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await self._more()
        published, position = self._published, 0
        while position < len(self._events):
            if position == len(published):
                await self._more()
            for event in published[position:]:
                await send({"type": "http.response.body", "body": event, "more_body": True})
                position += 1
        await send({"type": "http.response.body", "body": b""})

    async def _more(self) -> None:
        more = asyncio.get_running_loop().create_future()
        self._waiting.append(more)
        await more


class Server(uvicorn.Server):
    """The settings are those of Glasshouse's own."""

    def __init__(self, fan_out: FanOut) -> None:
        super().__init__(
            uvicorn.Config(
                fan_out,
                loop="uvloop",
                http="httptools",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=1,
            )
        )
        self._fan_out = fan_out

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        begin = Begin()
        begin.listen()
        self._publishing = asyncio.create_task(self._publish(begin))

    async def _publish(self, begin: Begin) -> None:
        while True:
            await begin.given()
            await self._fan_out.publish()


def _events(count: int) -> list[bytes]:
    stamp = {"session_id": new_id(), "task_id": new_id(), "timestamp": "2026-01-01T00:00:00.000Z"}
    entry = entry_of(Text(content=TEXT, **stamp))
    return [Frame(number, entry.task_id, entry.body).sse for number in range(1, count + 1)]


def main() -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=2048) as listener:
        print(listener.getsockname()[1], flush=True)
        Server(FanOut(_events(int(sys.argv[1])))).run(sockets=[listener])


if __name__ == "__main__":
    main()
