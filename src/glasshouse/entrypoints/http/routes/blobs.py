"""Texts that were too long for their event."""

import re

from fastapi import APIRouter
from starlette.responses import Response

from glasshouse.contract import errors
from glasshouse.entrypoints.http.services import Of

router = APIRouter(prefix="/api", tags=["events"])


@router.get("/blobs/{sha256}", response_class=Response)
async def blob(sha256: str, services: Of) -> Response:
    """The whole of what an event's `truncated` names."""
    content = await services.store.blob(sha256) if re.fullmatch(r"[0-9a-f]{64}", sha256) else None
    if content is None:
        raise errors.NotFound
    # Never a document of our own origin, whatever an agent wrote: text, not to be guessed at, not to be run.
    headers = {
        "content-security-policy": "sandbox; default-src 'none'",
        "content-disposition": f'attachment; filename="{sha256[:16]}.txt"',
    }
    return Response(content, headers=headers, media_type="text/plain; charset=utf-8")
