"""A session's conversation: read by page, one message whole, all of it as a file; and what the session is called."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import Response, StreamingResponse

from glasshouse.contract.ids import is_uuid
from glasshouse.contract.labels import SessionLabels, SessionPatch
from glasshouse.contract.message import Message, MessagePage
from glasshouse.core.export import as_json, as_markdown, pieces_of
from glasshouse.core.ports import MessagesFound, MessagesWanted
from glasshouse.entrypoints.http.body import body_of, json_body
from glasshouse.entrypoints.http.errors import language_of
from glasshouse.entrypoints.http.services import Of

router = APIRouter(prefix="/api/sessions/{session_id}", tags=["sessions"])

Agent = Annotated[str | None, Query(max_length=200, description="A sub-agent's conversation instead.")]
_MEDIA = {"markdown": ("md", "text/markdown; charset=utf-8"), "json": ("json", "application/json")}
# Never a document of our own origin, whatever was said in it.
_SHUT = {"content-security-policy": "sandbox; default-src 'none'"}


@router.get("/messages", response_model=MessagePage)
async def messages(
    *,
    session_id: str,
    services: Of,
    cursor: Annotated[str | None, Query(max_length=100, description="`next_cursor` of the page before.")] = None,
    order: Annotated[Literal["asc", "desc"], Query(description="`desc`: from the newest.")] = "asc",
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    agent: Agent = None,
) -> Response:
    """What was said, by page. A page ends before its `limit` where it has reached 1 MB."""
    wanted = MessagesWanted(limit=limit, newest_first=order == "desc", cursor=cursor, agent=agent)
    found = await services.conversation.page(_session(session_id), wanted)
    return Response(_page(found), media_type="application/json")


@router.get("/messages/{uuid}", response_model=Message)
async def message(session_id: str, uuid: str, services: Of, agent: Agent = None) -> Response:
    """One message whole, with what was cut from it in its page."""
    found = await services.conversation.message(_session(session_id), uuid, agent)
    return StreamingResponse(pieces_of(found), media_type="application/json")


@router.get("/export", response_class=Response)
async def export(
    request: Request, session_id: str, services: Of, format: Literal["markdown", "json"] = "markdown"
) -> Response:
    """All that was said, as a file: Markdown to be read, JSON with every message whole."""
    source = await services.conversation.source(_session(session_id))
    ending, media_type = _MEDIA[format]
    body = as_json(source) if format == "json" else as_markdown(source, language_of(request.headers))
    # The name is of our own making: nothing that was said gets into a header.
    name = f"session-{source.session.session_id}.{ending}"
    headers = {**_SHUT, "content-disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(body, media_type=media_type, headers=headers)


@router.patch("", response_model=SessionLabels, openapi_extra=json_body(SessionPatch))
async def label(request: Request, session_id: str, services: Of) -> SessionLabels:
    """Rename a session, or tag it, in its own transcript; not while a task is at it."""
    body = await body_of(request, SessionPatch)
    return await services.conversation.label(_session(session_id), body.title, body.tags)


def _session(given: str) -> str:
    # Any form of an unknown id is simply not found.
    return given.lower() if is_uuid(given) else given


def _page(found: MessagesFound) -> bytes:
    """The messages are JSON already."""
    rest = MessagePage(
        messages=[],
        next_cursor=found.next_cursor,
        total=found.total,
        rounds=found.rounds,
        agents=list(found.agents),
        damaged=found.damaged,
    )
    about = rest.model_dump_json(exclude={"messages"}).encode()
    return b'{"messages":[' + b",".join(found.bodies) + b"]," + about[1:]
