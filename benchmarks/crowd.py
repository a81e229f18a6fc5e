"""Many readers of one stream in one thread: they count, and parse nothing."""

import selectors
import socket
from collections.abc import Mapping

from benchmarks.sse_client import address_of, request

# Stands once in every event that is counted, and nowhere else in a stream.
MARK = b"~"
_SILENT_S = 30.0
_BUFFER = 256 * 1024


class Crowd:
    """Readers who are connected and have been answered: what follows is only the stream."""

    def __init__(self, url: str, path: str, headers: Mapping[str, str], size: int) -> None:
        self._selector = selectors.DefaultSelector()
        self._connections = [socket.create_connection(address_of(url)) for _ in range(size)]
        for connection in self._connections:
            connection.sendall(request("GET", url, path, headers))
        for connection in self._connections:
            _skip_head(connection)
            connection.setblocking(False)
            self._selector.register(connection, selectors.EVENT_READ)

    def take(self, events: int) -> None:
        """Returns when all readers together have taken so many."""
        buffer = bytearray(_BUFFER)
        taken = 0
        while taken < events:
            ready = self._selector.select(_SILENT_S)
            if not ready:
                raise TimeoutError(f"{taken} of {events} events came, then nothing more")
            for key, _ in ready:
                assert isinstance(key.fileobj, socket.socket)
                size = key.fileobj.recv_into(buffer)
                if size == 0:
                    self._selector.unregister(key.fileobj)
                taken += buffer.count(MARK, 0, size)

    def close(self) -> None:
        self._selector.close()
        for connection in self._connections:
            connection.close()


def _skip_head(connection: socket.socket) -> None:
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        byte = connection.recv(1)
        if not byte:
            raise ConnectionError(f"no stream: {head!r}")
        head += byte
    if not head.startswith(b"HTTP/1.1 200"):
        raise ConnectionError(f"no stream: {head!r}")
