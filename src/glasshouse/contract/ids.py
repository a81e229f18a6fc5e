"""Identities: sessions and tasks are UUIDs that exist before their first event."""

from typing import Annotated
from uuid import NAMESPACE_OID, UUID, uuid4, uuid5

from pydantic import AfterValidator, StrictStr


def _canonical(value: str) -> str:
    # UUID() also takes braces, "urn:uuid:" and missing hyphens; one form keeps equal ids equal as text.
    parsed = str(UUID(value))
    if parsed != value.lower():
        raise ValueError("not a UUID in its usual form")
    return parsed


Uuid = Annotated[StrictStr, AfterValidator(_canonical)]


def new_id() -> str:
    return str(uuid4())


def uuid_of(*parts: str) -> str:
    """The id under which an agent is told something: the same for the same, and nobody's else."""
    return str(uuid5(NAMESPACE_OID, " ".join(("glasshouse", *parts))))


def is_uuid(value: str) -> bool:
    try:
        _canonical(value)
    except ValueError:
        return False
    return True
