"""The page at `/`: signs a browser in and says what runs here. Static; what it shows, it asks the API for."""

from functools import cache
from importlib.resources import files

from fastapi import APIRouter
from starlette.responses import Response

from glasshouse.contract import errors

router = APIRouter(include_in_schema=False)

_TYPES = {"page.css": "text/css; charset=utf-8", "page.js": "text/javascript; charset=utf-8"}


@router.get("/")
async def page() -> Response:
    return Response(_static("page.html"), media_type="text/html; charset=utf-8")


@router.get("/static/{name}")
async def asset(name: str) -> Response:
    if name not in _TYPES:
        raise errors.NotFound
    return Response(_static(name), media_type=_TYPES[name])


@cache
def _static(name: str) -> bytes:
    return (files("glasshouse.entrypoints.http") / "static" / name).read_bytes()
