"""Going back in a session."""

from fastapi import APIRouter, Request

from glasshouse.contract.ids import is_uuid
from glasshouse.contract.rewind import RewindRequest, Rewound
from glasshouse.entrypoints.http.body import body_of, json_body
from glasshouse.entrypoints.http.errors import language_of
from glasshouse.entrypoints.http.services import Of

router = APIRouter(prefix="/api/sessions", tags=["sessions"])


@router.post("/{session_id}/rewind", response_model=Rewound, openapi_extra=json_body(RewindRequest))
async def rewind(request: Request, session_id: str, services: Of) -> Rewound:
    """Back to before a message, or to a question, which is asked again; in a fork unless told otherwise."""
    asked = await body_of(request, RewindRequest)
    # Any form of an unknown id is simply not found.
    session_id = session_id.lower() if is_uuid(session_id) else session_id
    return await services.rewind.back(session_id, asked, language=language_of(request.headers))
