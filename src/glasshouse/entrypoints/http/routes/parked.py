"""Parked tasks: what a person can do about them."""

from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from glasshouse.contract import errors
from glasshouse.contract.ids import is_uuid
from glasshouse.contract.task import TaskState
from glasshouse.entrypoints.http.services import Of

router = APIRouter(tags=["tasks"])


@router.post("/api/task/{task_id}/continue", response_model=TaskState)
async def continue_task(task_id: str, services: Of) -> Response:
    """Have a parked task go on now; one that is not parked stays as it is."""
    if not is_uuid(task_id):
        raise errors.TaskNotFound
    record = await services.execution.parking.go_on(task_id.lower())
    state = await services.execution.state(record)
    return JSONResponse(state.model_dump(mode="json"), headers={"x-task-id": record.task_id})
