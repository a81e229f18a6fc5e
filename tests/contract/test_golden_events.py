"""Events as they were written into logs: each file here must parse for as long as there are logs that hold such.

A file is `<type>.<n>.json`. When an event gains or changes a field, add the next number; never change or remove a file.
"""

import json
from pathlib import Path
from typing import Any, get_args

import pytest

from glasshouse.contract.events import DurableEvent, Event, LiveEvent, any_event
from glasshouse.core.encoding import entry_of

GOLDEN = sorted((Path(__file__).resolve().parent / "golden").glob("*.json"))
KINDS: tuple[type[Event], ...] = (*get_args(DurableEvent), *get_args(LiveEvent))


def tag(kind: type[Event]) -> str:
    return str(kind.model_fields["type"].default)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_an_event_of_any_version_still_says_what_it_said(path: Path) -> None:
    written: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))

    event = any_event.validate_json(path.read_bytes())

    assert event.type == path.name.partition(".")[0]
    now = json.loads(entry_of(event).body)
    assert {name: now[name] for name in written} == written


@pytest.mark.parametrize("kind", KINDS, ids=tag)
def test_every_field_of_every_kind_is_in_a_golden_file(kind: type[Event]) -> None:
    versions = [
        json.loads(path.read_text(encoding="utf-8")) for path in GOLDEN if path.name.startswith(f"{tag(kind)}.")
    ]

    assert versions, f"add golden/{tag(kind)}.1.json"
    assert set(kind.model_fields) <= {name for version in versions for name in version}


def test_every_kind_says_whether_it_is_kept() -> None:
    assert {tag(kind) for kind in KINDS if not kind.durable} == {tag(kind) for kind in get_args(LiveEvent)}


@pytest.mark.parametrize("body", ["{}", '{"type": "shout"}', '{"type": "text"}', "[]", "null"])
def test_what_is_no_event_is_refused(body: str) -> None:
    with pytest.raises(ValueError, match="validation error"):
        any_event.validate_json(body)
