"""Sessions and projects: lists, searches, and one of them as lists show it."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

from fastapi import APIRouter, Query

from glasshouse.contract import errors
from glasshouse.contract.session import ProjectList, Session, SessionPage
from glasshouse.core.history import Wanted
from glasshouse.core.times import timestamp
from glasshouse.entrypoints.http.services import Of

router = APIRouter(prefix="/api", tags=["sessions"])

_DATE = len("2026-11-19")
Moment = Annotated[
    str | None, Query(max_length=40, description="ISO 8601; without a zone UTC; a date is the whole day.")
]


@router.get("/projects")
async def projects(services: Of) -> ProjectList:
    """Directories that sessions work in, with how many; the one last worked in first."""
    return await services.history.projects()


@router.get("/sessions")
async def sessions(
    *,
    services: Of,
    project: Annotated[str | None, Query(max_length=4096, description="Only of this directory.")] = None,
    q: Annotated[
        str, Query(max_length=200, description="Words that all stand in the title, or in what was said.")
    ] = "",
    since: Moment = None,
    until: Moment = None,
    tool: Annotated[str | None, Query(max_length=200, description="Only those that used it.")] = None,
    min_cost: Annotated[float | None, Query(ge=0, allow_inf_nan=False, description="In dollars.")] = None,
    cursor: Annotated[str | None, Query(max_length=200, description="`next_cursor` of the page before.")] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> SessionPage:
    """Sessions, the last active first, also those begun in a terminal."""
    wanted = Wanted(
        project=project.rstrip("/") or "/" if project is not None else None,
        text=q,
        since=_moment("since", since),
        until=_moment("until", until, to_the_end=True),
        tool=tool,
        min_cost=min_cost,
    )
    return await services.history.sessions(wanted, cursor=cursor, limit=limit)


@router.get("/sessions/{session_id}")
async def session(session_id: str, services: Of) -> Session:
    """One session, as the lists show it."""
    return await services.history.session(session_id)


def _moment(name: str, text: str | None, *, to_the_end: bool = False) -> str | None:
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        if to_the_end and len(text) == _DATE:
            moment += timedelta(days=1, milliseconds=-1)
        return timestamp(moment)
    except (ValueError, OverflowError):
        raise errors.InvalidRequest(name) from None
