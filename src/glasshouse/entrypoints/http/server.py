"""The HTTP server's life: it listens before all is ready, says so, and lets everything go when it is told to end."""

import asyncio
import logging
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn

from glasshouse.bootstrap import Services
from glasshouse.entrypoints.http.app import create_app
from glasshouse.entrypoints.http.bounded_head import BoundedHead

log = logging.getLogger(__name__)

# What connections may take to end after the tasks have; together with those less than the 10 s of a supervisor.
_CONNECTIONS_END_S = 2
_CLIENT_FRAME_LIMIT = 64 * 1024
_ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Server(uvicorn.Server):
    def __init__(self, services: Services, on_ready: Callable[[], None]) -> None:
        super().__init__(
            uvicorn.Config(
                create_app(services),
                loop="uvloop",
                http=BoundedHead,
                ws="websockets-sansio",
                ws_max_size=_CLIENT_FRAME_LIMIT,
                ws_per_message_deflate=False,
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                # Which proxies to believe is decided in `visitor`.
                proxy_headers=False,
                timeout_graceful_shutdown=_CONNECTIONS_END_S,
            )
        )
        self._services = services
        self._on_ready = on_ready
        self.start_failure: Exception | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._beginning = asyncio.create_task(self._begin())

    async def _begin(self) -> None:
        try:
            await self._services.start()
        except Exception as failure:  # whatever it is, there is nothing to serve; `serve` says what it was
            self.start_failure = failure
            self.should_exit = True
            return
        self._on_ready()
        await self._services.prepare()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._beginning.cancel()
        if self.start_failure is None and not self.force_exit:
            await self._services.drain()
        await super().shutdown(sockets)
        await self._services.close()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Unlike uvicorn's own, this does not raise the signal again: an ordered end is no death by signal."""
        before = {number: signal.signal(number, self.handle_exit) for number in _ENDS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.force_exit = self.should_exit
        self.should_exit = True
