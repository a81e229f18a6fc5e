"""The API's description for people: Swagger UI, served by ourselves, under a policy that lets nothing foreign in."""

from functools import cache
from importlib.resources import files
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic.json_schema import models_json_schema
from starlette.responses import HTMLResponse, Response

from glasshouse.contract import errors
from glasshouse.contract.changes import RevertRequest
from glasshouse.contract.events import any_event
from glasshouse.contract.instruction import ChangeRequest, MessageRequest
from glasshouse.contract.labels import SessionPatch
from glasshouse.contract.question import AnswerRequest, AskRequest
from glasshouse.contract.rewind import RewindRequest
from glasshouse.contract.task import TaskRequest
from glasshouse.entrypoints.http.routes.sign_in import SignIn

router = APIRouter(include_in_schema=False)

_FILES = {
    "swagger-ui-bundle.js": "text/javascript",
    "swagger-ui.css": "text/css",
}
# Swagger UI writes style attributes and draws its icons from data: addresses.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# What routes read by hand.
_BODIES = (
    TaskRequest,
    MessageRequest,
    ChangeRequest,
    AnswerRequest,
    AskRequest,
    RevertRequest,
    RewindRequest,
    SessionPatch,
    SignIn,
)
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Glasshouse API</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,"><link rel="stylesheet" href="/docs/swagger-ui.css"></head>
<body><div id="api"></div>
<script src="/docs/swagger-ui-bundle.js"></script><script src="/docs/start.js"></script></body></html>
"""
_START = """SwaggerUIBundle({
  url: "/openapi.json", dom_id: "#api", deepLinking: true, validatorUrl: null, defaultModelsExpandDepth: 0,
});
"""


@router.get("/docs")
async def page() -> Response:
    return HTMLResponse(_PAGE, headers={"content-security-policy": _POLICY})


@router.get("/docs/start.js")
async def start() -> Response:
    return Response(_START, media_type="text/javascript")


@router.get("/docs/{name}")
async def asset(name: str) -> Response:
    if name not in _FILES:
        raise errors.NotFound
    return Response(_resource(name), media_type=_FILES[name], headers={"cache-control": "private, max-age=86400"})


@cache
def _resource(name: str) -> bytes:
    # Of that package only its files: importing it would import FastAPI's own documentation page.
    return (files("fastapi_swagger") / "resources" / name).read_bytes()


def describe(app: FastAPI) -> dict[str, Any]:
    """OpenAPI of all routes, with what they read by hand, their one error body, and the events."""
    if app.openapi_schema is None:
        schema = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
        schemas = schema.setdefault("components", {}).setdefault("schemas", {})
        template = "#/components/schemas/{model}"
        _, read = models_json_schema(
            [
                *((body, "validation") for body in _BODIES),
                (errors.ErrorBody, "serialization"),
            ],
            ref_template=template,
        )
        events = any_event.json_schema(mode="serialization", ref_template=template)
        schemas.update(read.get("$defs", {}))
        schemas.update(events.pop("$defs", {}))
        schemas["Event"] = events
        schema["components"]["securitySchemes"] = {
            "bearer": {"type": "http", "scheme": "bearer"},
            "apiKey": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
        }
        schema["security"] = [{"bearer": []}, {"apiKey": []}]
        # FastAPI's own errors, which no caller ever meets.
        for name in ("HTTPValidationError", "ValidationError"):
            schemas.pop(name, None)
        for operations in schema["paths"].values():
            for operation in operations.values():
                operation["responses"].pop("422", None)
                operation["responses"]["default"] = {
                    "description": "Every error has this body.",
                    "content": {"application/json": {"schema": {"$ref": template.format(model="ErrorBody")}}},
                }
        app.openapi_schema = schema
    return app.openapi_schema
