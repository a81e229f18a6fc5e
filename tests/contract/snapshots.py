"""What the API says of itself, as it was last agreed on. A change of it is a decision, so it is written down:

scripts/dev python -m tests.contract.snapshots
"""

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from glasshouse.bootstrap import Services
from glasshouse.contract.events import any_event
from glasshouse.entrypoints.http.app import create_api
from glasshouse.entrypoints.http.docs import describe

HERE = Path(__file__).resolve().parent
RENEW = "scripts/dev python -m tests.contract.snapshots"


def _openapi() -> Any:
    # A release is no change of the contract.
    return describe(create_api(cast("Services", SimpleNamespace(version="0"))))


def _events() -> Any:
    return any_event.json_schema(mode="serialization")


SNAPSHOTS: dict[str, Callable[[], Any]] = {"openapi.json": _openapi, "events.schema.json": _events}


def current(name: str) -> str:
    return json.dumps(SNAPSHOTS[name](), ensure_ascii=False, indent=2, sort_keys=True) + "\n"


if __name__ == "__main__":
    for snapshot in SNAPSHOTS:
        (HERE / snapshot).write_text(current(snapshot), encoding="utf-8")
