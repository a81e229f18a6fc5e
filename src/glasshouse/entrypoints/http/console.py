"""The console as it was built: its page for every route of the app, and the files that the page names.

Read once and held whole, so that an upgrade under a running server never mixes two builds.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from glasshouse.contract import errors
from glasshouse.contract.phrase import Phrase
from glasshouse.entrypoints.http.errors import language_of

# What web/src/app/router.tsx has a page for.
ROUTES = ("/", "/sign-in", "/examples", "/session/{session_id}")

_FOLDER = files("glasshouse.entrypoints.http") / "console"
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
    ".woff2": "font/woff2",
}
_IS_ROUTE = re.compile("|".join(re.sub(r"{\w+}", "[^/]+", route) for route in ROUTES))
_ASSETS = "/assets/"
# A name under /assets/ carries its content's hash.
_FOR_EVER = "public, max-age=31536000, immutable"
_FOR_AN_HOUR = "public, max-age=3600"
_NOT_BUILT = Phrase(
    "控制台尚未构建。请在源码目录中重新运行 ./glasshouse；如果是安装的软件包，请重新安装 glasshouse。",
    "The console has not been built. Run ./glasshouse again in the checkout; where the package was installed, "
    "install glasshouse again.",
)

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class _File:
    media_type: str
    plain: bytes
    gzipped: bytes | None

    def answer(self, request: Request, cached: str) -> Response:
        headers = {"cache-control": cached, "vary": "accept-encoding"}
        if self.gzipped is None or not _accepts_gzip(request.headers.get("accept-encoding", "")):
            return Response(self.plain, media_type=self.media_type, headers=headers)
        headers["content-encoding"] = "gzip"
        return Response(self.gzipped, media_type=self.media_type, headers=headers)


class _NotBuilt(Exception):
    pass


def is_public(path: str) -> bool:
    """Whether the console is asked for: it has no secrets, and is what signs a browser in."""
    return _IS_ROUTE.fullmatch(path) is not None or path.startswith(_ASSETS) or path == "/icon.svg"


async def _page(request: Request) -> Response:
    if not _wants_html(request.headers.get("accept", "*/*")):
        raise errors.NotFound
    try:
        return _built()["index.html"].answer(request, cached="no-store")
    except _NotBuilt:
        return HTMLResponse(f"<!doctype html><p>{_NOT_BUILT.say(language_of(request.headers))}", status_code=503)


for _route in ROUTES:
    router.add_api_route(_route, _page, methods=["GET", "HEAD"])


@router.api_route("/assets/{name}", methods=["GET", "HEAD"])
async def asset(request: Request, name: str) -> Response:
    return _file(f"assets/{name}").answer(request, cached=_FOR_EVER)


@router.api_route("/icon.svg", methods=["GET", "HEAD"])
async def icon(request: Request) -> Response:
    return _file("icon.svg").answer(request, cached=_FOR_AN_HOUR)


def _file(name: str) -> _File:
    try:
        return _built()[name]
    except (KeyError, _NotBuilt):
        raise errors.NotFound from None


@cache
def _built() -> Mapping[str, _File]:
    if not (_FOLDER / "index.html").is_file():
        raise _NotBuilt
    return {**_read(_FOLDER, ""), **_read(_FOLDER / "assets", "assets/")}


def _read(folder: Traversable, prefix: str) -> dict[str, _File]:
    found = {path.name: path for path in folder.iterdir() if path.is_file()}
    return {
        f"{prefix}{name}": _File(
            _TYPES[suffix], path.read_bytes(), found[f"{name}.gz"].read_bytes() if f"{name}.gz" in found else None
        )
        for name, path in found.items()
        if (suffix := f".{name.rpartition('.')[2]}") in _TYPES
    }


def _wants_html(accept: str) -> bool:
    kinds = {part.partition(";")[0].strip().lower() for part in accept.split(",")}
    return not kinds.isdisjoint({"text/html", "text/*", "*/*"})


def _accepts_gzip(accept_encoding: str) -> bool:
    for part in accept_encoding.lower().split(","):
        name, _, quality = part.strip().partition(";")
        if name.strip() in ("gzip", "*"):
            return quality.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False
