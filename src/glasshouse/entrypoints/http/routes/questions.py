"""Questions: answered, listed, looked at, asked by programs; and where a session stands in them."""

import asyncio
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import JSONResponse, Response

from glasshouse.contract import errors
from glasshouse.contract.ids import is_uuid, new_id
from glasshouse.contract.phrase import Language, Phrase
from glasshouse.contract.question import (
    AnswerRequest,
    AnswerTaken,
    AskRequest,
    Dialog,
    QuestionPage,
    QuestionReport,
    QuestionState,
)
from glasshouse.core.ports import Closed, QuestionRecord
from glasshouse.core.questions.desk import Receipt
from glasshouse.core.questions.dialog import dialog_of
from glasshouse.core.questions.forms import from_program
from glasshouse.core.questions.settling import Given
from glasshouse.core.waiting import until_answered
from glasshouse.entrypoints.http.body import body_of, json_body
from glasshouse.entrypoints.http.errors import language_of
from glasshouse.entrypoints.http.event_stream import until_gone
from glasshouse.entrypoints.http.services import Of

router = APIRouter(tags=["questions"])

_TAKEN = Phrase("答案已提交，任务继续执行", "The answer was taken; the task goes on")
_TAKEN_FOR_PROGRAM = Phrase("答案已提交", "The answer was taken")
_TAKEN_IN_PART = Phrase(
    "答案已提交，还有 {count} 个问题待回答", "The answer was taken; questions still to be answered: {count}"
)
_STOPPED = Phrase("任务已停止", "The task was stopped")
_CLEANED = Phrase("（已去除控制字符）", " (without the control characters)")

State = Literal["pending", "answered", "cancelled", "timeout", "all"]
Cursor = Annotated[str | None, Query(pattern=r"^\d{1,18}$", description="`next_cursor` of the page before.")]
_PAGE = 500


@router.post(
    "/api/task/answer",
    response_model=AnswerTaken,
    response_model_exclude_none=True,
    responses={400: {"model": errors.AlreadyAnsweredBody, "description": "Or another error: somebody was first."}},
    openapi_extra=json_body(AnswerRequest),
)
async def answer(request: Request, services: Of) -> AnswerTaken:
    """Answer a question, or decline it. Of several answers at once one is taken, the others are told by whom."""
    body = await body_of(request, AnswerRequest)
    given = Given(
        answer=body.answer,
        door=request.state.door,
        answers=body.answers,
        reason=body.reason,
        updated_input=body.updated_input,
        stop=body.stop,
    )
    receipt = await services.desk.answer(_session(body.session_id), body.question_id, given)
    if given.stop and receipt.record.task_id is not None:
        await services.execution.stop(receipt.record.task_id)
        receipt = Receipt(receipt.record, (), receipt.cleaned)
    return AnswerTaken(
        message=_said(receipt, given, language_of(request.headers)),
        remaining=list(receipt.remaining),
        cleaned=True if receipt.cleaned else None,
    )


@router.get("/api/questions")
async def questions(
    *,
    services: Of,
    state: State = "pending",
    session_id: str | None = None,
    task_id: str | None = None,
    cursor: Cursor = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> QuestionPage:
    """Questions in the order of asking."""
    found, next_ = await services.store.questions(
        states=frozenset(QuestionState) if state == "all" else frozenset({QuestionState(state)}),
        session_id=None if session_id is None else _session(session_id),
        task_id=None if task_id is None else task_id.lower(),
        after=int(cursor or 0),
        limit=limit,
    )
    return QuestionPage(
        questions=[services.desk.report(record) for record in found], next_cursor=None if next_ is None else str(next_)
    )


@router.post("/api/questions", status_code=201, response_model=QuestionReport, openapi_extra=json_body(AskRequest))
async def ask(request: Request, services: Of) -> QuestionReport:
    """Put a question of a program's own to the person; it belongs to the session and outlives its tasks."""
    body = await body_of(request, AskRequest)
    question = from_program(body.question, new_id())
    return services.desk.report(await services.desk.ask_for_program(_session(body.session_id), question))


# An id may hold a slash: models make them up.
@router.get("/api/questions/{question_id:path}", response_model=QuestionReport)
async def question_state(
    request: Request,
    question_id: str,
    session_id: str,
    services: Of,
    wait: Annotated[float, Query(ge=0, le=86_400, description="Up to so many seconds, until it is settled.")] = 0,
) -> Response:
    """A question as it is; its id is unique in its session only."""
    if await services.store.session(_session(session_id)) is None:
        raise errors.AnswerSessionNotFound
    record = await services.store.question(_session(session_id), question_id)
    if record is None:
        raise errors.QuestionNotFound
    if wait and record.state is QuestionState.PENDING:
        record = await _settled_within(services, record, wait, request)
    return JSONResponse(services.desk.report(record).model_dump(mode="json"))


@router.get("/api/sessions/{session_id}/dialog")
@router.get("/api/task/{session_id}/dialog")
async def dialog(session_id: str, services: Of) -> Dialog:
    """Which round of questions a session is in, and what was asked and answered so far."""
    session_id = _session(session_id)
    if await services.store.session(session_id) is None:
        raise errors.SessionNotFound
    records: list[QuestionRecord] = []
    after: int | None = 0
    while after is not None:
        page, after = await services.store.questions(
            states=frozenset(QuestionState), session_id=session_id, limit=_PAGE, after=after
        )
        records.extend(page)
    return dialog_of(session_id, records)


def _session(given: str) -> str:
    # Any form of an unknown id is simply not found.
    return given.lower() if is_uuid(given) else given


def _said(receipt: Receipt, given: Given, language: Language) -> str:
    if given.stop:
        said = _STOPPED
    elif receipt.remaining:
        said = _TAKEN_IN_PART
    else:
        said = _TAKEN if receipt.record.task_id is not None else _TAKEN_FOR_PROGRAM
    cleaned = _CLEANED.say(language) if receipt.cleaned else ""
    return said.say(language, count=len(receipt.remaining)) + cleaned


async def _settled_within(services: Of, record: QuestionRecord, wait_s: float, request: Request) -> QuestionRecord:
    settled = asyncio.create_task(until_answered(services.store, record))
    gone = asyncio.create_task(until_gone(request.receive))
    try:
        await asyncio.wait((settled, gone), timeout=wait_s, return_when=asyncio.FIRST_COMPLETED)
        return settled.result() if settled.done() else record
    except Closed:
        raise errors.Unavailable(retry_after_s=5) from None
    finally:
        settled.cancel()
        gone.cancel()
        await asyncio.gather(settled, gone, return_exceptions=True)
