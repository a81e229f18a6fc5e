"""Every error as the one body, in the language of who asks; mapped to a status here and nowhere else."""

import logging
from collections.abc import Mapping
from uuid import uuid4

import orjson
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from glasshouse.contract import errors
from glasshouse.contract.phrase import Language

log = logging.getLogger(__name__)

# By class; a subclass without a row of its own has its parent's.
_STATUS: Mapping[type[errors.GlasshouseError], int] = {
    errors.InvalidRequest: 422,
    errors.PositionInvalid: 400,
    errors.WorkingDirInvalid: 400,
    errors.QuestionInvalid: 400,
    errors.InvalidAnswer: 400,
    errors.AlreadyAnswered: 400,
    errors.TaskInterrupted: 400,
    errors.Unauthorized: 401,
    errors.Forbidden: 403,
    errors.RateLimited: 429,
    errors.RecursiveLimitExceeded: 429,
    errors.Missing: 404,
    errors.PositionGone: 410,
    errors.Conflict: 409,
    errors.MethodNotAllowed: 405,
    errors.TooLarge: 413,
    errors.UnsupportedMediaType: 415,
    errors.Unavailable: 503,
    errors.StorageFull: 507,
    errors.Internal: 500,
}
_BY_STATUS: Mapping[int, type[errors.GlasshouseError]] = {
    404: errors.NotFound,
    405: errors.MethodNotAllowed,
}


def status_of(error: errors.GlasshouseError) -> int:
    return next(_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS)


def language_of(headers: Mapping[str, str]) -> Language:
    """English for who prefers it to Chinese, else Chinese."""
    best: tuple[float, Language] = (0.0, "zh")
    for part in headers.get("accept-language", "").split(","):
        tag, _, parameters = part.strip().partition(";")
        primary = tag.partition("-")[0].lower()
        quality = _quality(parameters)
        if primary in ("zh", "en") and quality > best[0]:
            best = (quality, "en" if primary == "en" else "zh")
    return best[1]


def _quality(parameters: str) -> float:
    name, _, value = parameters.strip().partition("=")
    try:
        return float(value) if name == "q" else 1.0
    except ValueError:
        return 0.0


def error_response(error: errors.GlasshouseError, language: Language, *, request_id: str | None = None) -> Response:
    body = errors.ErrorBody(error=error.code, message=error.message(language), request_id=request_id)
    winner = error.winner if isinstance(error, errors.AlreadyAnswered) else {}
    headers = {}
    if error.retry_after_s is not None:
        headers["retry-after"] = str(error.retry_after_s)
    if isinstance(error, errors.Unauthorized):
        headers["www-authenticate"] = "Bearer"
    content = orjson.dumps(body.model_dump(exclude_none=True) | winner)
    return Response(content, status_of(error), headers, media_type="application/json")


async def on_glasshouse_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, errors.GlasshouseError)
    return error_response(error, language_of(request.headers))


async def on_http_exception(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    kind = _BY_STATUS.get(error.status_code, errors.InvalidRequest)
    response = error_response(kind(str(error.detail)), language_of(request.headers))
    response.headers.update(error.headers or {})  # which methods are allowed, for one
    return response


async def on_fault(request: Request, error: Exception) -> Response:
    """A fault of ours: the log has all of it, the caller an id to ask with."""
    request_id = uuid4().hex[:12]
    log.error("request failed", exc_info=error, extra={"request_id": request_id, "path": request.url.path})
    return error_response(errors.Internal(), language_of(request.headers), request_id=request_id)
