"""The offline model: nothing until it is started, then an endpoint on loopback with a key of its own."""

import asyncio
import secrets
from collections import deque
from collections.abc import Sequence

from glasshouse.contract.phrase import Language
from glasshouse.core.ports import ModelEndpoint
from glasshouse.testing.offline_model.demo import demo_scripts
from glasshouse.testing.offline_model.listener import Listener
from glasshouse.testing.offline_model.routes import Charged, Received, Routes
from glasshouse.testing.offline_model.script import Script


class OfflineModel:
    """Plays the first script that has a reply; `requests` are the newest that it received."""

    def __init__(self, scripts: Sequence[Script] | None = None, language: Language = "zh") -> None:
        self._key = secrets.token_urlsafe(32)
        self._routes = Routes(demo_scripts() if scripts is None else scripts, language, self._key)
        self._listener = Listener(self._routes.answer)
        self._endpoint: ModelEndpoint | None = None
        self._turn = asyncio.Lock()

    @property
    def requests(self) -> deque[Received]:
        return self._routes.requests

    @property
    def ledger(self) -> deque[Charged]:
        """What its newest messages would have to be paid for."""
        return self._routes.ledger

    async def start(self) -> ModelEndpoint:
        """Started once, however often it is asked for."""
        async with self._turn:
            if self._endpoint is None:
                port = await self._listener.start()
                self._endpoint = ModelEndpoint(f"http://127.0.0.1:{port}", self._key)
            return self._endpoint

    async def stop(self) -> None:
        """Also ends answers that are under way."""
        async with self._turn:
            if self._endpoint is not None:
                self._endpoint = None
                await self._listener.stop()
