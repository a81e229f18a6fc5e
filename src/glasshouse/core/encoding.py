"""How an event becomes bytes: once, valid UTF-8 JSON, at most 64 KB; what is cut from it becomes a blob."""

import hashlib
from collections.abc import Iterator
from typing import Any

import orjson

from glasshouse.contract.events import Complete, Event
from glasshouse.core.plain_json import DEEPEST, cleaned
from glasshouse.core.ports import Blob, Entry

EVENT_LIMIT = 64 * 1024
# Strings are not cut below this: an event that is too large without long strings loses a whole branch instead.
_SHORTEST_CUT = 1024
# What an entry of `truncated` adds to the event, at the most, beside the pointer's own length.
_CUT_NOTE = 140
# How far down it is worth looking for a branch to leave out.
_DEEPEST_BRANCH = 4

_Place = tuple[str | int, ...]


def entry_of(event: Event) -> Entry:
    fields = event.model_dump()
    # What an event is comes first: people read streams, too.
    value = {"type": fields["type"]} | {name: part for name, part in fields.items() if part is not None}
    body, blobs = bounded_json(value)
    return Entry(
        task_id=event.task_id,
        body=body,
        durable=event.durable,
        ends_task=isinstance(event, Complete),
        blobs=blobs,
    )


def bounded_json(value: dict[str, Any]) -> tuple[bytes, tuple[Blob, ...]]:
    """At most 64 KB of valid JSON; `truncated` in it says what was cut, and the blobs are the wholes of that."""
    body = whole_json(value)
    return (body, ()) if len(body) <= EVENT_LIMIT else _cut(orjson.loads(body), len(body))


def whole_json(value: dict[str, Any]) -> bytes:
    body = _dump(value)
    if body is None or body.count(b"[") + body.count(b"{") > DEEPEST:
        body = orjson.dumps(cleaned(value))
    return body


def _dump(value: Any) -> bytes | None:
    try:
        return orjson.dumps(value)
    except (TypeError, ValueError):
        return None


def _cut(value: dict[str, Any], size: int) -> tuple[bytes, tuple[Blob, ...]]:
    notes: dict[str, dict[str, Any]] = {}
    blobs: list[Blob] = []

    def put(place: _Place, kept: Any, content: bytes) -> None:
        blob = Blob(hashlib.sha256(content).hexdigest(), content)
        notes[_pointer(place)] = {"bytes": len(content), "sha256": blob.sha256}
        blobs.append(blob)
        _at(value, place[:-1])[place[-1]] = kept

    longest = _cuttable(value)
    while (missing := size - EVENT_LIMIT - sum(gain for *_, gain in longest)) > 0:
        place = _heaviest(value, missing)
        branch = _at(value, place)
        content = orjson.dumps(branch)
        put(place, type(branch)(), content)
        size += _note_size(place) - len(content)
        longest = _cuttable(value)
    for encoded, place, _ in longest:
        if size <= EVENT_LIMIT:
            break
        text = _at(value, place)
        kept = _prefix(text, max(_SHORTEST_CUT, encoded - (size + _note_size(place) - EVENT_LIMIT)))
        put(place, kept, text.encode())
        size += _note_size(place) + len(orjson.dumps(kept)) - encoded
    value["truncated"] = notes
    return orjson.dumps(value), tuple(blobs)


def _cuttable(value: Any) -> list[tuple[int, _Place, int]]:
    """The strings whose cutting gains something: how long they are, where, and the most that it gains."""
    sized = ((len(orjson.dumps(text)), place) for place, text in _strings(value, ()))
    gains = ((encoded, place, encoded - _SHORTEST_CUT - _note_size(place)) for encoded, place in sized)
    return sorted((one for one in gains if one[2] > 0), key=lambda one: -one[0])


def _heaviest(value: Any, missing: int) -> _Place:
    """The branch to leave out: of the heaviest ones, from the top down, the last that is enough alone."""
    place: _Place = ()
    while len(place) < _DEEPEST_BRANCH and (branches := _branches(_at(value, place))):
        weight, name = max(branches, key=lambda branch: branch[0])
        if place and weight - _note_size((*place, name)) < missing:
            break
        place = (*place, name)
    return place


def _branches(value: Any) -> list[tuple[int, str | int]]:
    parts = value.items() if isinstance(value, dict) else enumerate(value)
    return [(len(orjson.dumps(part)), name) for name, part in parts if isinstance(part, dict | list) and part]


def _pointer(place: _Place) -> str:
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in place)


def _note_size(place: _Place) -> int:
    return _CUT_NOTE + len(orjson.dumps(_pointer(place)))


def _strings(value: Any, place: _Place) -> Iterator[tuple[_Place, str]]:
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, dict):
        for name, part in value.items():
            yield from _strings(part, (*place, name))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from _strings(part, (*place, index))


def _at(value: Any, place: _Place) -> Any:
    for part in place:
        value = value[part]
    return value


def _prefix(text: str, encoded_limit: int) -> str:
    """The longest beginning whose JSON form has at most so many bytes, within a quarter."""
    kept = text.encode()[: encoded_limit - 2].decode(errors="ignore")
    while len(orjson.dumps(kept)) > encoded_limit:
        kept = kept[: max(1, len(kept) * 3 // 4)] if len(kept) > 1 else ""
    return kept
