"""The scripted model in a thread of its own, so that it outlives every event loop and every server."""

import asyncio
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from glasshouse.core.ports import ModelEndpoint
from glasshouse.testing.offline_model import OfflineModel, Script


class ModelInThread:
    def __init__(self, model: OfflineModel, endpoint: ModelEndpoint) -> None:
        self._model = model
        self.endpoint = endpoint

    def heard(self, text: str) -> list[Any]:
        """The bodies of those requests that hold the text, oldest first."""
        return [request.body for request in list(self._model.requests) if text.encode() in request.raw]


@contextmanager
def model_in_thread(scripts: Sequence[Script]) -> Iterator[ModelInThread]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="model")
    thread.start()
    model = OfflineModel(scripts)
    try:
        yield ModelInThread(model, asyncio.run_coroutine_threadsafe(model.start(), loop).result(10))
    finally:
        asyncio.run_coroutine_threadsafe(model.stop(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()
