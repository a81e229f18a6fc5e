"""Where a session goes on from, if not from its own end: another's conversation, or an earlier point of its own.

Kept in the session's record until its engine does it, with the next task.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from glasshouse.core.ports import SessionRecord

_FORK, _REWOUND = "fork_of", "rewound"


@dataclass(frozen=True, slots=True)
class ForkPoint:
    """`at` is the last entry that is kept, by the id that the engine gave it; None: all of the session."""

    session_id: str
    at: str | None = None


@dataclass(frozen=True, slots=True)
class RewoundTo:
    """`at` as above; `dropped` is from where to where the engine's record no longer counts, in bytes."""

    at: str
    dropped: tuple[int, int]


def fork_of(engine_state: Mapping[str, Any]) -> ForkPoint | None:
    kept = engine_state.get(_FORK)
    return None if kept is None else ForkPoint(kept["session_id"], kept["at"])


def begins_as_fork(session: SessionRecord, point: ForkPoint) -> SessionRecord:
    """The record of a session that has no conversation of its own yet: its first task copies the other's.

    `session` has the engine's state of the one that is copied."""
    kept = {"session_id": point.session_id, "at": point.at}
    # What the engine counts goes on in the copy; where it was rewound does not.
    state = {name: value for name, value in session.engine_state.items() if name != _REWOUND}
    return replace(session, engine_state={**state, _FORK: kept})


def rewindings(engine_state: Mapping[str, Any]) -> Sequence[RewoundTo]:
    """All that the session was rewound in place, oldest first."""
    return [RewoundTo(each["at"], tuple(each["dropped"])) for each in engine_state.get(_REWOUND, ())]


def rewound(session: SessionRecord, to: RewoundTo) -> SessionRecord:
    earlier = session.engine_state.get(_REWOUND, ())
    kept = [*earlier, {"at": to.at, "dropped": list(to.dropped)}]
    return replace(session, engine_state={**session.engine_state, _REWOUND: kept})
