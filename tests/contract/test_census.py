"""No route without the key: whatever the application answers to is asked without one."""

from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from tests.support.served import Served

from glasshouse.contract.ids import new_id
from glasshouse.entrypoints.http.app import create_api

# A new route is not in it, and so must be shut.
PUBLIC = {
    *(("GET", "/health"), ("GET", "/ready")),
    # The console: static files, and what signs a browser in.
    *((method, path) for method in ("GET", "HEAD") for path in ("/", "/sign-in", "/examples", "/session/{session_id}")),
    *((method, path) for method in ("GET", "HEAD") for path in ("/icon.svg", "/assets/{name}")),
    # Its body is the key.
    ("POST", "/api/login"),
}
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PROPFIND")
NEIGHBOURS = ("", "/", "/x", "?x=1", "//", "/%2e%2e", ";x", "%00", "%2f", ".json")


def every(routes: Iterable[Any]) -> Iterator[tuple[str, str]]:
    """Method and path of each route, WEBSOCKET for a socket; of a kind that is not known here, a failure."""
    for route in routes:
        if hasattr(route, "effective_candidates"):  # a router that was included
            yield from every(route.effective_candidates())
            continue
        route = getattr(route, "starlette_route", None) or route  # noqa: PLW2901 - the route behind its context
        methods = getattr(route, "methods", None)
        path = getattr(route, "path", "")
        if "WebSocket" in type(route).__name__:
            yield "WEBSOCKET", path
        else:
            assert methods, f"a route of a kind that this census does not know: {route}"
            for method in methods:
                yield method, path


@pytest.fixture
def census(served: Served) -> set[tuple[str, str]]:
    """Methods and paths as the routes have them, with placeholders."""
    return set(every(create_api(served.services).routes))


def asked(path: str) -> list[str]:
    """Addresses that such a route answers to."""
    ids = {name: new_id() for name in ("{task_id}", "{session_id}", "{uuid}")}
    for placeholder, value in {**ids, "{sha256}": "0" * 64, "{question_id:path}": "q", "{agent_id}": "a"}.items():
        path = path.replace(placeholder, value)
    names = ("swagger-ui.css", "swagger-ui-bundle.js", "index.html", "other") if "{name}" in path else ("",)
    return [path.replace("{name}", name) for name in names]


def test_the_census_sees_what_there_is(census: set[tuple[str, str]]) -> None:
    assert ("WEBSOCKET", "/api/events/ws") in census
    assert ("POST", "/api/task") in census
    assert ("GET", "/openapi.json") in census
    assert census >= PUBLIC
    assert len(census - PUBLIC) > 15
    assert not any("{" in address for _, path in census for address in asked(path))


# faults: A1
async def test_without_the_key_every_route_but_the_public_ones_is_shut(
    served: Served, census: set[tuple[str, str]]
) -> None:
    async with served.client(()) as stranger:
        for method, path in sorted(census):
            for address in asked(path):
                if method == "WEBSOCKET":
                    assert (await served.socket((), address)).refused == 401, address
                else:
                    status = (await stranger.request(method, address)).status_code
                    assert (status == 401) is ((method, path) not in PUBLIC), (method, address, status)


# faults: A1
async def test_no_other_method_opens_a_route(served: Served, census: set[tuple[str, str]]) -> None:
    # Whoever may GET may ask for the head alone.
    public = PUBLIC | {("HEAD", path) for method, path in PUBLIC if method == "GET"}
    async with served.client(()) as stranger:
        for path in sorted({path for _, path in census}):
            for method in METHODS:
                status = (await stranger.request(method, asked(path)[0])).status_code
                assert status == 401 or (method, path) in public, (method, path, status)


# faults: A1
async def test_no_neighbour_of_a_route_is_open(served: Served, census: set[tuple[str, str]]) -> None:
    shut = {path for method, path in census if method in ("GET", "POST", "DELETE") and (method, path) not in PUBLIC}
    async with served.client(()) as stranger:
        for path in sorted(shut):
            for neighbour in NEIGHBOURS:
                assert (await stranger.get(asked(path)[0] + neighbour)).status_code == 401, path + neighbour


# faults: A1
@pytest.mark.parametrize("path", ["/", "/health", "/ready", "/icon.svg", "/assets/x", "/api/login", "/nowhere"])
async def test_a_socket_wants_the_key_on_every_path(served: Served, path: str) -> None:
    assert (await served.socket((), path)).refused == 401


# faults: A1
async def test_with_the_key_they_are_open(served: Served, census: set[tuple[str, str]]) -> None:
    async with served.client() as client:
        for method, path in sorted(census):
            for address in asked(path):
                if method == "WEBSOCKET":
                    socket = await served.socket(path=address)
                    assert socket.refused is None
                    await socket.leave()
                else:
                    assert (await client.request(method, address)).status_code not in (401, 403), (method, address)
