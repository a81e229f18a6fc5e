"""How moments are written, on every door."""

from datetime import UTC, datetime


def timestamp(moment: datetime) -> str:
    """UTC, ISO 8601, milliseconds, Z."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
