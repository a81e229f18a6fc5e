"""What both servers of the fan-out are given to send, and the sign to begin: SIGUSR1, since both are asked alike."""

import asyncio
import signal

from benchmarks.crowd import MARK

TEXT = "x" * 100 + MARK.decode()
# An engine that has much to say at once says it in one go; so does the bare server's source.
BURST = 64


class Begin:
    """Every signal lets all pass who wait; who comes later waits for the next."""

    def __init__(self) -> None:
        self._next = asyncio.Event()

    def listen(self) -> None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, self._given)

    async def given(self) -> None:
        await self._next.wait()

    def _given(self) -> None:
        self._next.set()
        self._next = asyncio.Event()
