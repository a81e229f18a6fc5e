"""Frames as Server-Sent Events: one write an event, a comment while nothing happens, an end when the reader is gone."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from contextlib import aclosing, suppress

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from glasshouse.core.ports import Closed, Frame

HEARTBEAT_S = 15.0
# A reader that has not taken a single write for so long is gone, whatever its connection says.
_STUCK_AFTER_S = 2 * HEARTBEAT_S
_HEARTBEAT = b": keep-alive\n\n"


class EventStream(Response):
    media_type = "text/event-stream"

    def __init__(
        self,
        batches: AsyncGenerator[Sequence[Frame], None],
        *,
        headers: dict[str, str],
        deltas: bool,
        on_disconnect: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        super().__init__(headers={**headers, "x-accel-buffering": "no", "cache-control": "no-store, no-transform"})
        # Its length is not known before its end.
        del self.headers["content-length"]
        self._batches = batches
        self._deltas = deltas
        self._on_disconnect = on_disconnect
        self._writes = 0
        self._writing = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        # What follows the head of an answer interests no middleware: the gate gives a shorter way.
        send_body: Send = scope.get("state", {}).get("send_body", send)
        pump = asyncio.create_task(self._pump(send_body))
        gone = asyncio.create_task(until_gone(receive))
        heart = asyncio.create_task(self._beat(send_body))
        try:
            await asyncio.wait((pump, gone, heart), return_when=asyncio.FIRST_COMPLETED)
        finally:
            left_early = not pump.done()
            for task in (pump, gone, heart):
                task.cancel()
            await asyncio.gather(pump, gone, heart, return_exceptions=True)
            if left_early and self._on_disconnect is not None:
                await self._on_disconnect()
        if not left_early:
            with suppress(OSError):  # the reader may have gone at this very moment
                pump.result()
                await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _pump(self, send: Send) -> None:
        with suppress(Closed):  # the server goes: the stream ends without `complete`, a resume brings it
            async with aclosing(self._batches) as batches:
                async for frames in batches:
                    await self._write(send, (frame.sse for frame in frames if frame.seq is not None or self._deltas))

    async def _write(self, send: Send, bodies: Iterable[bytes]) -> None:
        self._writing = True
        for body in bodies:
            await send({"type": "http.response.body", "body": body, "more_body": True})
            self._writes += 1
        self._writing = False

    async def _beat(self, send: Send) -> None:
        stuck_s = 0.0
        while stuck_s < _STUCK_AFTER_S:
            writes = self._writes
            await asyncio.sleep(HEARTBEAT_S)
            if self._writes != writes:
                stuck_s = 0.0
            elif self._writing:
                stuck_s += HEARTBEAT_S
            else:
                async with asyncio.timeout(_STUCK_AFTER_S):
                    await self._write(send, (_HEARTBEAT,))


async def until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
