"""Events: the console's socket, and their schema."""

from typing import Any

from fastapi import APIRouter, WebSocket

from glasshouse.bootstrap import Services
from glasshouse.contract.events import any_event
from glasshouse.entrypoints.http.event_socket import EventSocket

router = APIRouter(prefix="/api/events", tags=["events"])


@router.get("/schema")
async def schema() -> dict[str, Any]:
    """JSON Schema of every event, told apart by `type`."""
    return any_event.json_schema(mode="serialization")


@router.websocket("/ws")
async def socket(websocket: WebSocket) -> None:
    services: Services = websocket.app.state.services
    await EventSocket(websocket, services.store, services.execution, services.desk, services.history).serve()
