"""Reading a JSON body: bounded, of the right type, and validated, with errors of our own codes."""

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from starlette.requests import ClientDisconnect, Request

from glasshouse.contract import errors

BODY_LIMIT = 16 * 1024 * 1024
# What is over the limit is still read, so far, and forgotten: a client that sends all of it before it listens would
# lose the answer with its connection.
READ_LIMIT = 4 * BODY_LIMIT

Model = TypeVar("Model", bound=BaseModel)

_BY_CODE = {kind.code: kind for kind in (errors.PromptEmpty, errors.PromptTooLong, errors.ResumeConflict)}


async def body_of(request: Request, model: type[Model]) -> Model:
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if content_type != "application/json":
        raise errors.UnsupportedMediaType
    try:
        return model.model_validate_json(await _bytes_of(request))
    except ValidationError as wrong:
        raise _first_error(wrong) from None


async def _bytes_of(request: Request) -> bytes:
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and (len(declared) > 12 or int(declared) > READ_LIMIT):
        raise errors.TooLarge
    parts: list[bytes] = []
    size = 0
    try:
        async for part in request.stream():
            size += len(part)
            if size > READ_LIMIT:
                break
            if size > BODY_LIMIT:
                parts.clear()
            else:
                parts.append(part)
    except ClientDisconnect:
        raise errors.InvalidRequest("body") from None
    if size > BODY_LIMIT:
        raise errors.TooLarge
    return b"".join(parts)


def _first_error(wrong: ValidationError) -> errors.GlasshouseError:
    first = wrong.errors(include_url=False, include_input=False, include_context=False)[0]
    if first["type"] in _BY_CODE:
        return _BY_CODE[first["type"]]()
    if first["type"] == errors.QuestionInvalid.code:
        return errors.QuestionInvalid(first["msg"])
    field = ".".join(str(part) for part in first["loc"]) or "body"
    # A field's name comes from the caller too: bounded, and on one line.
    return errors.InvalidRequest("".join(letter for letter in field[:100] if letter.isprintable()))


def json_body(model: type[BaseModel]) -> dict[str, Any]:
    """What OpenAPI says of a route that reads its body with `body_of`."""
    schema = {"$ref": f"#/components/schemas/{model.__name__}"}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}
