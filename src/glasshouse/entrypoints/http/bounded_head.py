"""HTTP as uvicorn reads it, but for a head that does not end: uvicorn would collect it for as long as it comes."""

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_LIMIT = 64 * 1024


class BoundedHead(HttpToolsProtocol):
    _in_head = True
    _taken = 0

    def on_message_begin(self) -> None:
        self._in_head = True
        self._taken = 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._in_head = False
        super().on_headers_complete()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._taken += len(data)
        if self._in_head and self._taken > HEAD_LIMIT and not self.transport.is_closing():
            self.send_400_response("The head of the request is too large.")
