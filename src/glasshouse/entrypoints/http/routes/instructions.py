"""What is said to a task that has not ended: messages, and another permission mode or model."""

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from glasshouse.contract import errors
from glasshouse.contract.ids import is_uuid
from glasshouse.contract.instruction import ChangeRequest, ChangeTaken, MessageRequest, MessageTaken, ReceiptState
from glasshouse.entrypoints.http.body import body_of, json_body
from glasshouse.entrypoints.http.services import Of

router = APIRouter(tags=["tasks"])


@router.post(
    "/api/task/{task_id}/messages",
    status_code=202,
    response_model=MessageTaken,
    openapi_extra=json_body(MessageRequest),
)
async def say(request: Request, task_id: str, services: Of) -> MessageTaken:
    """Say something to the agent meanwhile. It is in the log when this answers; `info` events tell what becomes of it:
    delivered, consumed, or refused with the reason."""
    body = await body_of(request, MessageRequest)
    record = await services.instructions.message(_task(task_id), body)
    return MessageTaken(
        task_id=record.task_id, message_id=record.instruction_id, mode=body.mode, receipt=record.receipt
    )


@router.patch(
    "/api/task/{task_id}",
    response_model=ChangeTaken,
    responses={202: {"model": ChangeTaken, "description": "Taken, and in force from the task's next process on."}},
    openapi_extra=json_body(ChangeRequest),
)
async def change(request: Request, task_id: str, services: Of) -> Response:
    """Change the permission mode or the model of a task that has not ended, from here on."""
    body = await body_of(request, ChangeRequest)
    record = await services.instructions.change(_task(task_id), body)
    if record.receipt is ReceiptState.REFUSED:
        raise errors.ChangeRefused(record.reason or "")
    taken = ChangeTaken(
        task_id=record.task_id,
        permission_mode=record.permission_mode,
        model=record.model,
        receipt=record.receipt,
    )
    return JSONResponse(taken.model_dump(mode="json"), 200 if record.receipt is ReceiptState.CONSUMED else 202)


def _task(task_id: str) -> str:
    if not is_uuid(task_id):
        raise errors.TaskNotFound
    return task_id.lower()
