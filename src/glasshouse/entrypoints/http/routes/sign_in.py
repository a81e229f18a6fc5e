"""Signing a browser in, with the key or a one-time code, and out."""

from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field, StrictStr
from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response

from glasshouse.contract import errors
from glasshouse.core.access import SIGN_IN_LIFETIME
from glasshouse.entrypoints.http.access import cookies_named
from glasshouse.entrypoints.http.body import body_of, json_body
from glasshouse.entrypoints.http.services import Of
from glasshouse.entrypoints.http.visitor import Visitor

router = APIRouter(prefix="/api", tags=["access"])


class SignIn(BaseModel):
    model_config = ConfigDict(extra="forbid")

    key: Annotated[StrictStr, Field(max_length=4096, description="The API key, or a link's one-time code.")]


class Done(BaseModel):
    success: bool = True


@router.post("/login", response_model=Done, openapi_extra=json_body(SignIn))
async def sign_in(request: Request, services: Of) -> Response:
    """A session cookie for the key or for a one-time code."""
    body = await body_of(request, SignIn)
    visitor: Visitor = request.state.visitor
    try:
        token = await services.access.sign_in(body.key)
    except errors.Unauthorized:
        # Of many at once, all were let in by the gate before the first was found wrong.
        if (wait := services.wrong_keys.take(visitor.address)) is not None:
            raise errors.RateLimited(retry_after_s=wait) from None
        raise
    response = JSONResponse(Done().model_dump())
    response.set_cookie(
        services.cookie,
        token,
        max_age=int(SIGN_IN_LIFETIME.total_seconds()),
        httponly=True,
        samesite="strict",
        secure=visitor.scheme == "https",
    )
    return response


@router.post("/logout", response_model=Done)
async def sign_out(request: Request, services: Of) -> Response:
    for token in cookies_named(Headers(scope=request.scope), services.cookie):
        await services.access.sign_out(token)
    response = JSONResponse(Done().model_dump())
    response.delete_cookie(services.cookie, httponly=True, samesite="strict")
    return response
