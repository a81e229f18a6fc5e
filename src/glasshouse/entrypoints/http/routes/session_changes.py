"""What a session has changed in its directory: the difference, and a file put back."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import JSONResponse, Response

from glasshouse.contract.changes import Reverted, RevertRequest, SessionDiff
from glasshouse.contract.ids import is_uuid
from glasshouse.entrypoints.http.body import body_of, json_body
from glasshouse.entrypoints.http.errors import language_of
from glasshouse.entrypoints.http.services import Of

router = APIRouter(prefix="/api/sessions", tags=["sessions"])

_PATCH = {"description": "As JSON, or as a patch.", "content": {"text/x-diff": {}}}
Path = Annotated[str | None, Query(max_length=20_000, description="Of this file alone, as the difference shows it.")]


@router.get("/{session_id}/diff", response_model=SessionDiff, responses={200: _PATCH})
async def diff(
    request: Request, session_id: str, services: Of, path: Path = None, format: Literal["json", "patch"] = "json"
) -> Response:
    """Against the directory as it was before the session's first task; the patch is whole, binary files included."""
    session_id, language = _session(session_id), language_of(request.headers)
    if format == "json":
        found = await services.changes.diff(session_id, path=path, language=language)
        return JSONResponse(found.model_dump(mode="json"))
    patch = await services.changes.patch(session_id, path=path, language=language)
    # Never a document of our own origin, whatever an agent wrote.
    headers = {
        "content-security-policy": "sandbox; default-src 'none'",
        "content-disposition": f'attachment; filename="{session_id[:8]}.patch"',
    }
    return Response(patch, headers=headers, media_type="text/x-diff")


@router.post("/{session_id}/revert", response_model=Reverted, openapi_extra=json_body(RevertRequest))
async def revert(request: Request, session_id: str, services: Of) -> Reverted:
    """Put a file back as it was before the session's first task, unless it changed since it was shown."""
    asked = await body_of(request, RevertRequest)
    return await services.changes.revert(_session(session_id), asked, language=language_of(request.headers))


def _session(given: str) -> str:
    # Any form of an unknown id is simply not found.
    return given.lower() if is_uuid(given) else given
