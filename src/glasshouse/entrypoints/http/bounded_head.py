"""HTTP as uvicorn reads it, but for a head that does not end: uvicorn would collect it, and wait for it, for ever."""

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_LIMIT = 64 * 1024
HEAD_WITHIN_S = 30.0


class BoundedHead(HttpToolsProtocol):
    _in_head = True
    _taken = 0
    _patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._have_head()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        self._in_head = True
        self._taken = 0
        self._expect_head()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._have_head()
        super().on_headers_complete()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._taken += len(data)
        if self._in_head and self._taken > HEAD_LIMIT and not self.transport.is_closing():
            self.send_400_response("The head of the request is too large.")

    def _expect_head(self) -> None:
        if self._patience is None:
            self._patience = self.loop.call_later(HEAD_WITHIN_S, self.transport.close)

    def _have_head(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None
