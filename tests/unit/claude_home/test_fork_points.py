"""Where a conversation can be gone on from."""

import json
from pathlib import Path
from typing import Any

import pytest

from glasshouse.claude_home.fork_points import fork_point


def said(uuid: str, **more: Any) -> dict[str, Any]:
    return {"type": "user", "uuid": uuid, "cwd": "/w", "message": {"role": "user", "content": "x"}, **more}


def answers(uuid: str, *calls: str, id: str = "m1", model: str = "m") -> dict[str, Any]:
    content = [{"type": "tool_use", "id": call, "name": "Bash", "input": {}} for call in calls]
    text = [{"type": "text", "text": "y"}]
    return {"type": "assistant", "uuid": uuid, "message": {"id": id, "model": model, "content": content or text}}


def result(uuid: str, call: str) -> dict[str, Any]:
    return said(uuid, message={"content": [{"type": "tool_result", "tool_use_id": call, "content": "z"}]})


@pytest.mark.parametrize(
    ("lines", "point"),
    [
        ([], None),
        ([said("1")], "1"),
        ([said("1"), answers("2")], "2"),
        ([said("1"), answers("2", "a"), result("3", "a")], "3"),
        ([said("1"), answers("2", "a")], "1"),
        # Of two calls in one message one has run; what was said before them in it goes with them.
        ([said("1"), answers("2"), answers("3", "a"), answers("4", "b"), result("5", "a")], "1"),
        ([said("1"), answers("2"), said("3"), answers("4", "a", id="m2")], "3"),
        ([said("1"), answers("2", id="m0", model="<synthetic>")], "1"),
        ([said("1"), {**answers("2"), "isSidechain": True}], "1"),
        # faults: E1 E2
        ([said("1"), {"type": "attachment", "uuid": "2"}, [], {"type": "user"}, said("3", message=None)], "3"),
    ],
)
def test_it_is_the_newest_message_with_no_open_call_before_it(
    tmp_path: Path, lines: list[Any], point: str | None
) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines) + '{"type":"user","uu')
    assert fork_point(file) == point


def test_no_file_has_no_point(tmp_path: Path) -> None:
    assert fork_point(tmp_path / "none.jsonl") is None
