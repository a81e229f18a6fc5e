"""A value as JSON can carry it to every reader. Imports nothing: processes start with it."""

from typing import Any

# Readers of JSON have limits of their own, pydantic's at 200.
DEEPEST = 100


def cleaned(value: Any, depth: int = 0) -> Any:
    """The value as JSON can carry it: no lone surrogates, no integer beyond 64 bits, no endless nesting."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if value is None or isinstance(value, bool | int | float):
        return value if not isinstance(value, int) or -(2**63) <= value < 2**64 else _digits(value)
    if depth > DEEPEST:
        return "…"
    if isinstance(value, dict):
        return {cleaned(str(name)): cleaned(part, depth + 1) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [cleaned(part, depth + 1) for part in value]
    return cleaned(str(value))


def _digits(value: int) -> str:
    # str() refuses integers of more than 4,300 digits; hex() takes any.
    return str(value) if value.bit_length() < 10_000 else hex(value)
