"""Where a forked session begins: at another one's end, or at an earlier entry of it. Kept until its engine does it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from glasshouse.core.ports import SessionRecord

_KEY = "fork_of"


@dataclass(frozen=True, slots=True)
class ForkPoint:
    """`at` is the last entry that is kept, by the id that the engine gave it; None: all of the session."""

    session_id: str
    at: str | None = None


def fork_of(engine_state: Mapping[str, Any]) -> ForkPoint | None:
    kept = engine_state.get(_KEY)
    return None if kept is None else ForkPoint(kept["session_id"], kept["at"])


def begins_as_fork(session: SessionRecord, point: ForkPoint) -> SessionRecord:
    """The record of a session that has no conversation of its own yet: its first task copies the other's."""
    kept = {"session_id": point.session_id, "at": point.at}
    return replace(session, engine_state={**session.engine_state, _KEY: kept})
