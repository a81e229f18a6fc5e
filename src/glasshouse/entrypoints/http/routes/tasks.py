"""Tasks: begun and awaited, begun and streamed, looked at, followed again, stopped."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request
from starlette.responses import JSONResponse, Response

from glasshouse.contract import errors
from glasshouse.contract.ids import is_uuid
from glasshouse.contract.task import TaskPending, TaskRequest, TaskResponse, TaskState
from glasshouse.core.ports import Closed, Frame, TaskRecord
from glasshouse.core.streams import checked_position, follow_task, is_at_end, start_of
from glasshouse.core.waiting import until_ended
from glasshouse.entrypoints.http.body import body_of, json_body
from glasshouse.entrypoints.http.event_stream import EventStream, until_gone
from glasshouse.entrypoints.http.services import Of

router = APIRouter(tags=["tasks"])

Deltas = Annotated[bool, Query(description="Live pieces of what is being typed, too (no id, never replayed).")]
_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Events, one `data:` line each, to exactly one `complete`.",
        "content": {"text/event-stream": {}},
    }
}


@router.post(
    "/api/task",
    response_model=TaskResponse,
    responses={202: {"model": TaskPending, "description": "`wait_s` is over and the task goes on."}},
    openapi_extra=json_body(TaskRequest),
)
async def run_task(request: Request, services: Of, deltas: Deltas = False) -> Response:
    """Do a task and answer with its result."""
    body = await body_of(request, TaskRequest)
    record, _ = await services.admission.admit(body, deltas=deltas)
    ended = asyncio.create_task(until_ended(services.store, record))
    gone = asyncio.create_task(until_gone(request.receive))
    try:
        await asyncio.wait((ended, gone), timeout=body.wait_s, return_when=asyncio.FIRST_COMPLETED)
        if ended.done():
            return _answer(ended.result())
        if not gone.done():
            current = await services.store.task(record.task_id) or record
            if current.status.ended:
                return _answer(current)
            return _json(await _pending(services, current), 202, record)
        if body.on_disconnect == "stop":
            await services.execution.stop(record.task_id)
        return Response(status_code=499)
    except Closed:
        raise errors.Unavailable(retry_after_s=5) from None
    finally:
        ended.cancel()
        gone.cancel()
        await asyncio.gather(ended, gone, return_exceptions=True)


@router.post("/api/task/stream", response_class=Response, responses=_STREAM, openapi_extra=json_body(TaskRequest))
async def stream_task(request: Request, services: Of, deltas: Deltas = False) -> Response:
    """Do a task and stream its events as they happen (Server-Sent Events)."""
    body = await body_of(request, TaskRequest)
    record, _ = await services.admission.admit(body, deltas=deltas)

    async def stop() -> None:
        if body.on_disconnect == "stop":
            await services.execution.stop(record.task_id)

    return EventStream(
        follow_task(services.store, record, after=start_of(record)),
        headers=_task_header(record),
        deltas=deltas,
        on_disconnect=stop,
    )


@router.get("/api/task/{task_id}", response_model=TaskState)
async def task_state(task_id: str, services: Of) -> Response:
    """The task as it is at this moment."""
    record = await _task(services, task_id)
    return _json(await services.execution.state(record), 200, record)


@router.get(
    "/api/task/{task_id}/stream",
    response_class=Response,
    responses={**_STREAM, 204: {"description": "The position is the task's end."}},
)
async def resume_stream(
    task_id: str,
    services: Of,
    after: Annotated[str | None, Query(description="The last `id` that the reader has.")] = None,
    deltas: Deltas = False,
    last_event_id: Annotated[str | None, Header(description="Wins over `after`.")] = None,
) -> Response:
    """Go on with a task's stream where it was cut: no event is lost and none comes twice."""
    record = await _task(services, task_id)
    given = _number(last_event_id if last_event_id is not None else after)
    position = checked_position(record, await services.store.bounds(record.session_id), given)
    if is_at_end(record, position):
        return Response(status_code=204, headers=_task_header(record))
    batches: AsyncGenerator[Sequence[Frame], None] = follow_task(services.store, record, after=position)
    return EventStream(batches, headers=_task_header(record), deltas=deltas)


@router.delete("/api/task/{task_id}", response_model=TaskState)
async def stop_task(task_id: str, services: Of) -> Response:
    """Stop a task; answers once nothing of it runs any more. One that has ended stays as it is."""
    record = await _task(services, task_id)
    await services.execution.stop(record.task_id)
    record = await services.store.task(record.task_id) or record
    return _json(await services.execution.state(record), 200, record)


async def _task(services: Of, task_id: str) -> TaskRecord:
    record = await services.store.task(task_id.lower()) if is_uuid(task_id) else None
    if record is None:
        raise errors.TaskNotFound
    return record


async def _pending(services: Of, record: TaskRecord) -> TaskPending:
    questions = await services.desk.pending(record)
    state = services.execution.state_with(record, questions)
    return TaskPending(**dict(state), questions=[services.desk.report(question) for question in questions])


def _number(given: str | None) -> int | None:
    if given is None:
        return None
    if not given.isascii() or not given.isdecimal() or len(given) > 18:
        raise errors.PositionInvalid(given[:40] if given.isprintable() else "")
    return int(given)


def _answer(record: TaskRecord) -> Response:
    result = record.result
    assert result is not None
    answer = TaskResponse(
        success=result.success,
        message=result.message,
        session_id=record.session_id,
        cost_usd=result.cost_usd,
        duration_ms=result.duration_ms,
        files_changed=result.files_changed,
        tools_used=result.tools_used,
        task_id=record.task_id,
        status=record.status,
    )
    return _json(answer, 200, record)


def _json(body: TaskResponse | TaskState, status: int, record: TaskRecord) -> Response:
    return JSONResponse(body.model_dump(mode="json"), status, _task_header(record))


def _task_header(record: TaskRecord) -> dict[str, str]:
    return {"x-task-id": record.task_id}
