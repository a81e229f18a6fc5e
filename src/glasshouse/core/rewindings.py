"""The earlier points of its own conversation that a session goes on from.

Kept in the session's record until its engine does it, with the next task.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from glasshouse.core.ports import SessionRecord

_REWOUND = "rewound"


@dataclass(frozen=True, slots=True)
class RewoundTo:
    """`at` is the last entry that is kept, by the id that the engine gave it; `dropped` is from where to where the
    engine's record no longer counts, in bytes."""

    at: str
    dropped: tuple[int, int]


def rewindings(engine_state: Mapping[str, Any]) -> Sequence[RewoundTo]:
    """All that the session was rewound in place, oldest first."""
    return [RewoundTo(each["at"], tuple(each["dropped"])) for each in engine_state.get(_REWOUND, ())]


def rewound(session: SessionRecord, to: RewoundTo) -> SessionRecord:
    begin, _ = to.dropped
    # Who goes back to a point in what was dropped takes that up again.
    earlier = [
        each for each in session.engine_state.get(_REWOUND, ()) if not each["dropped"][0] < begin < each["dropped"][1]
    ]
    kept = [*earlier, {"at": to.at, "dropped": list(to.dropped)}]
    return replace(session, engine_state={**session.engine_state, _REWOUND: kept})
