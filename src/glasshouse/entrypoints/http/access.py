"""The one gate before every route, HTTP and WebSocket alike: host, origin, key, rate, state. A new route is shut.

Nothing of a request's body is read before the gate has let it in.
"""

import logging
from collections.abc import Callable, Mapping

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from glasshouse.contract import errors
from glasshouse.contract.question import Door
from glasshouse.core.access import Access
from glasshouse.core.limits import SlidingWindow
from glasshouse.entrypoints.http import console
from glasshouse.entrypoints.http.errors import error_response, language_of
from glasshouse.entrypoints.http.visitor import Reception, Visitor, is_same_origin

log = logging.getLogger(__name__)

# Any host may ask for these, without a key, at any time.
_ALIVE = frozenset({"/health", "/ready"})
_PUBLIC_POST = frozenset({"/api/login"})
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class Gate:
    def __init__(
        self,
        app: ASGIApp,
        *,
        access: Access,
        reception: Reception,
        cookie: str,
        is_ready: Callable[[], bool],
        wrong_keys: SlidingWindow,
        task_rates: Mapping[str, SlidingWindow],
    ) -> None:
        """`task_rates`: how often an address may POST to a path."""
        self._app = app
        self._access = access
        self._reception = reception
        self._cookie = cookie
        self._is_ready = is_ready
        self._wrong_keys = wrong_keys
        self._task_rates = task_rates

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        visitor = self._reception.visitor(scope, headers)
        state = scope.setdefault("state", {})
        state["visitor"] = visitor
        # Past all middleware: on the way through it, an event to a crowd costs a fifth more.
        state["send_body"] = send
        secured = _with_our_headers(send)
        try:
            self._check(scope, headers, visitor)
        except errors.GlasshouseError as refusal:
            await _refuse(scope, receive, secured, headers, refusal)
        else:
            await self._app(scope, receive, secured)

    def _check(self, scope: Scope, headers: Headers, visitor: Visitor) -> None:
        method = scope.get("method", "GET")
        path = scope["path"]
        is_socket = scope["type"] == "websocket"
        if not is_socket and method in ("GET", "HEAD") and path in _ALIVE:
            return
        if not self._reception.welcomes(visitor, scope):
            raise errors.Forbidden("host")
        if not is_socket and method in ("GET", "HEAD") and console.is_public(path):
            return
        if is_socket or method not in _SAFE_METHODS:
            origins = headers.getlist("origin")
            if origins and (len(origins) > 1 or not is_same_origin(origins[0], visitor)):
                raise errors.Forbidden("origin")
        if not (method == "POST" and path in _PUBLIC_POST):
            scope["state"]["door"] = self._door(headers, visitor)
        elif (wait := self._wrong_keys.full(visitor.address)) is not None:
            raise errors.RateLimited(retry_after_s=wait)
        rate = self._task_rates.get(path) if method == "POST" else None
        if rate is not None and (wait := rate.take(visitor.address)) is not None:
            raise errors.RateLimited(retry_after_s=wait)
        if not self._is_ready():
            raise errors.Unavailable(retry_after_s=2)

    def _door(self, headers: Headers, visitor: Visitor) -> Door:
        """By which door somebody is let in. Raises Unauthorized, Unavailable or RateLimited."""
        wait = self._wrong_keys.full(visitor.address)
        if wait is not None:
            raise errors.RateLimited(retry_after_s=wait)
        shown = _keys_shown(headers)
        if shown:
            if len(shown) == 1 and self._access.is_key(shown[0]):
                return Door.API
            self._wrong_keys.take(visitor.address)
            raise errors.Unauthorized
        # A cookie that has run out is no attempt at guessing.
        tokens = cookies_named(headers, self._cookie)
        door = next((door for token in tokens if (door := self._access.door_of(token)) is not None), None)
        if door is not None:
            return door
        # Who is signed in is read at the start: a page that is back before is not sent away to sign in again.
        if tokens and not self._is_ready():
            raise errors.Unavailable(retry_after_s=2)
        raise errors.Unauthorized


def _keys_shown(headers: Headers) -> list[str]:
    """Every key that the request shows; another kind of authorization is a wrong key."""
    shown = headers.getlist("x-api-key")
    for value in headers.getlist("authorization"):
        scheme, _, key = value.partition(" ")
        shown.append(key.strip() if scheme.lower() == "bearer" else "")
    return shown


def cookies_named(headers: Headers, name: str) -> list[str]:
    found = (cookie_parser(value).get(name) for value in headers.getlist("cookie"))
    return [token for token in found if token]


def _with_our_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] in ("http.response.start", "websocket.http.response.start"):
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return send_with_headers


async def _refuse(
    scope: Scope, receive: Receive, send: Send, headers: Headers, refusal: errors.GlasshouseError
) -> None:
    response = error_response(refusal, language_of(headers))
    if scope["type"] == "websocket":
        # Before it is accepted, so that no page can tell a shut socket from none.
        await receive()
        if "websocket.http.response" not in scope.get("extensions", {}):
            await send({"type": "websocket.close", "code": 1008})
            return
        await response(scope, receive, send)
        return
    # The body that was not read goes with the connection.
    response.headers["connection"] = "close"
    await response(scope, receive, send)
