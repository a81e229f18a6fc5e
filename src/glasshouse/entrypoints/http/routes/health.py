"""Alive, ready: for supervisors and load balancers; they say a state and nothing else."""

from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from glasshouse.entrypoints.http.services import Of

router = APIRouter(tags=["operation"])


@router.get("/health")
async def health() -> dict[str, str]:
    return {"status": "alive"}


@router.get("/ready", responses={503: {"description": "Starting or draining."}})
async def ready(services: Of) -> Response:
    state = services.state
    if services.is_ready:
        return JSONResponse({"status": state})
    return JSONResponse({"status": state}, 503, {"retry-after": "2"})
