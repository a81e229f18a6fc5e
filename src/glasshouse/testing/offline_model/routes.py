"""The endpoint: which path answers what, who may ask, and what was asked."""

import asyncio
import hmac
import logging
import secrets
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from pydantic import ValidationError

from glasshouse.contract.phrase import Language
from glasshouse.testing.offline_model.conversation import read_conversation
from glasshouse.testing.offline_model.listener import Exchange, Request
from glasshouse.testing.offline_model.messages import (
    Head,
    MessagesRequest,
    error,
    input_tokens,
    output_tokens,
    stream,
    whole,
)
from glasshouse.testing.offline_model.reply import Cut, Fail, Pause, Reply
from glasshouse.testing.offline_model.script import Script, next_reply
from glasshouse.testing.offline_model.side_requests import side_reply

_log = logging.getLogger(__name__)

MODEL_NAME = "offline-demo-model"
_KEPT_REQUESTS = 100
_KEY_HEADERS = frozenset({"x-api-key", "authorization"})


@dataclass(frozen=True, slots=True)
class Received:
    """A request as it came, without the key."""

    method: str
    path: str
    headers: Mapping[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        return orjson.loads(self.raw) if self.raw else None


@dataclass(frozen=True, slots=True)
class Charged:
    """The tokens of one message, as its answer counts them."""

    input_tokens: int
    output_tokens: int


class Routes:
    def __init__(self, scripts: Sequence[Script], language: Language, key: str) -> None:
        self.requests: deque[Received] = deque(maxlen=_KEPT_REQUESTS)
        self.ledger: deque[Charged] = deque(maxlen=_KEPT_REQUESTS)
        self._scripts = scripts
        self._language = language
        self._key = key.encode()

    async def answer(self, exchange: Exchange) -> None:
        request = exchange.request
        shown = {name: value for name, value in request.headers.items() if name not in _KEY_HEADERS}
        self.requests.append(Received(request.method, request.path, shown, request.body))
        if not self._may_ask(request):
            await _fail(exchange, 401, "authentication_error", "invalid x-api-key")
            return
        try:
            await self._route(exchange)
        except ValidationError as invalid:
            await _fail(exchange, 400, "invalid_request_error", str(invalid))

    def _may_ask(self, request: Request) -> bool:
        if request.path == "/":  # Claude Code opens its connection with a HEAD, before it has any key to show
            return True
        given = request.headers.get("x-api-key") or request.headers.get("authorization", "").removeprefix("Bearer ")
        return hmac.compare_digest(given.encode("latin-1"), self._key)

    async def _route(self, exchange: Exchange) -> None:
        match exchange.request.method, exchange.request.path:
            case "POST", "/v1/messages":
                await self._message(exchange)
            case "POST", "/v1/messages/count_tokens":
                await _send(exchange, 200, {"input_tokens": input_tokens(exchange.request.body)})
            case "GET" | "HEAD", "/":
                await _send(exchange, 200, {"name": MODEL_NAME})
            case "GET", "/v1/models":
                model = _model(MODEL_NAME)
                listed = {"data": [model], "has_more": False, "first_id": MODEL_NAME, "last_id": MODEL_NAME}
                await _send(exchange, 200, listed)
            case "GET", path if path.startswith("/v1/models/"):
                await _send(exchange, 200, _model(path.removeprefix("/v1/models/")))
            case _:
                await _fail(exchange, 404, "not_found_error", "Not found")

    async def _message(self, exchange: Exchange) -> None:
        body = exchange.request.body
        request = MessagesRequest.model_validate_json(body)
        head = Head(request.model, input_tokens(body))
        try:
            reply = self._reply(request)
        except Exception:  # a script is anyone's code; what is wrong in it must reach who reads the log
            _log.exception("a script of the offline model failed")
            reply = (Fail(500, "api_error", "a script of the offline model failed"),)
        first = next((part for part in reply if not isinstance(part, Pause)), None)
        if not any(isinstance(part, Fail) for part in reply):
            self.ledger.append(Charged(head.input_tokens, output_tokens(reply)))
        if request.stream and not isinstance(first, Fail):
            await _stream(exchange, reply, head)
        else:
            await _answer_whole(exchange, reply, head)

    def _reply(self, request: MessagesRequest) -> Reply:
        conversation = read_conversation(request.turns, request.tool_names, self._language)
        reply = side_reply(request, conversation)
        return next_reply(self._scripts, conversation) if reply is None else reply


async def _stream(exchange: Exchange, reply: Reply, head: Head) -> None:
    await exchange.begin(200, {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"})
    for step in stream(reply, head):
        match step:
            case Pause(seconds):
                await asyncio.sleep(seconds)
            case Cut():
                exchange.cut()
                return
            case event:
                await exchange.write(event)
    await exchange.finish()


async def _answer_whole(exchange: Exchange, reply: Reply, head: Head) -> None:
    for part in reply:
        match part:
            case Pause(seconds):
                await asyncio.sleep(seconds)
            case Cut():
                exchange.cut()
                return
            case Fail(status, kind, message, headers):
                await _fail(exchange, status, kind, message, headers)
                return
    await _send(exchange, 200, whole(reply, head))


async def _fail(
    exchange: Exchange, status: int, kind: str, message: str, headers: Mapping[str, str] | None = None
) -> None:
    await _send(exchange, status, error(kind, message), headers)


async def _send(
    exchange: Exchange, status: int, body: Mapping[str, Any], more: Mapping[str, str] | None = None
) -> None:
    headers = {"content-type": "application/json", "request-id": f"req_{secrets.token_hex(12)}", **(more or {})}
    await exchange.send(status, orjson.dumps(body), headers)


def _model(name: str) -> dict[str, str]:
    return {"type": "model", "id": name, "display_name": "Offline demo model", "created_at": "2025-01-01T00:00:00Z"}
