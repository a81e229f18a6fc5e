"""Forks of sessions."""

from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from glasshouse.contract import errors
from glasshouse.contract.fork import Forked, ForkedFrom
from glasshouse.contract.ids import is_uuid
from glasshouse.entrypoints.http.services import Of

router = APIRouter(tags=["sessions"])


@router.post("/api/sessions/{session_id}/fork", response_model=Forked, status_code=201)
async def fork_session(session_id: str, services: Of) -> Response:
    """A new session that begins with this one's conversation so far; this one stays as it is."""
    if not is_uuid(session_id):
        raise errors.SessionNotFound
    record = await services.forks.fork(session_id.lower())
    point = record.forked_from
    assert point is not None
    forked = Forked(
        session_id=record.session_id,
        forked_from=ForkedFrom(session_id=point.session_id, message_id=point.message_id),
        engine=record.engine,
        working_dir=record.working_dir,
        created_at=record.created_at,
        offline=record.offline,
    )
    return JSONResponse(forked.model_dump(mode="json"), 201)
