"""The application: routes, errors, and the gate before all of them."""

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from glasshouse.bootstrap import Services
from glasshouse.contract import errors
from glasshouse.core.ports import StoreUnavailable
from glasshouse.entrypoints.http import console, docs
from glasshouse.entrypoints.http.access import Gate
from glasshouse.entrypoints.http.errors import (
    error_response,
    language_of,
    on_fault,
    on_glasshouse_error,
    on_http_exception,
)
from glasshouse.entrypoints.http.routes import (
    agents,
    blobs,
    catalogue,
    events,
    files,
    forks,
    health,
    instructions,
    parked,
    questions,
    session_changes,
    session_messages,
    session_rewind,
    sessions,
    sign_in,
    status,
    tasks,
    trust,
)
from glasshouse.entrypoints.http.visitor import Reception

ROUTERS = (
    tasks.router,
    parked.router,
    forks.router,
    instructions.router,
    questions.router,
    session_messages.router,
    trust.router,
    agents.router,
    sessions.router,
    session_changes.router,
    session_rewind.router,
    events.router,
    blobs.router,
    catalogue.router,
    files.router,
    status.router,
    sign_in.router,
    health.router,
)


def create_api(services: Services) -> FastAPI:
    """Without the gate: what there is to be described and tested by route."""
    api = FastAPI(
        title="Glasshouse",
        version=services.version,
        description="Give an agent a task, watch every step of it, and stop it.",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
    )
    api.state.services = services
    for router in (*ROUTERS, docs.router, console.router):
        api.include_router(router)
    api.add_api_route("/openapi.json", lambda: docs.describe(api), include_in_schema=False)
    api.add_exception_handler(errors.GlasshouseError, on_glasshouse_error)
    api.add_exception_handler(HTTPException, on_http_exception)
    api.add_exception_handler(RequestValidationError, _on_bad_parameter)
    api.add_exception_handler(StoreUnavailable, _on_full_store)
    api.add_exception_handler(Exception, on_fault)
    return api


def create_app(services: Services) -> ASGIApp:
    return Gate(
        create_api(services),
        access=services.access,
        reception=Reception(
            bound_host=services.settings.host,
            allowed_hosts=services.settings.allowed_hosts,
            trusted_proxies=services.settings.trusted_proxies,
        ),
        cookie=services.cookie,
        is_ready=lambda: services.is_ready,
        wrong_keys=services.wrong_keys,
        task_rates=services.task_rates,
    )


async def _on_bad_parameter(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    names = (str(problem["loc"][-1]) for problem in error.errors())
    return error_response(errors.InvalidRequest(", ".join(names)), language_of(request.headers))


async def _on_full_store(request: Request, error: Exception) -> Response:
    return error_response(errors.StorageFull(), language_of(request.headers))
