"""Where a transcript can be gone back to."""

import json
from pathlib import Path
from typing import Any

import pytest

from glasshouse.claude_home import ClaudeHome
from glasshouse.claude_home.points import at_call, before_message, newest_message
from glasshouse.core.ports import ConversationPoint

SESSION = "0b7a3a4e-3d0c-4b52-9f5b-0a4d4c0a9a11"


def user(uuid: str, parent: str | None, content: Any, **fields: Any) -> dict[str, Any]:
    message = {"role": "user", "content": content}
    return {"type": "user", "uuid": uuid, "parentUuid": parent, "cwd": "/work", "message": message, **fields}


def calls(uuid: str, parent: str, call_id: str, **fields: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": [{"type": "tool_use", "id": call_id, "name": "T", "input": {}}]}
    return {"type": "assistant", "uuid": uuid, "parentUuid": parent, "cwd": "/work", "message": message, **fields}


def compact(line: Any) -> bytes:
    """As Claude Code writes it."""
    return json.dumps(line, separators=(",", ":")).encode() + b"\n"


RESULT = [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "done"}]
LINES: list[dict[str, Any]] = [
    user("u1", None, "first"),
    {"type": "attachment", "uuid": "a1", "parentUuid": "u1", "attachment": {"type": "date"}},
    calls("c1", "a1", "toolu_1"),
    user("r1", "c1", RESULT),
    {"type": "cost-state", "total": 1},
    user("m1", "r1", "injected", isMeta=True),
    user("u2", "r1", [{"type": "text", "text": "second"}, {"type": "image"}]),
    user("s1", None, "a sub-agent's", isSidechain=True),
    calls("s2", "s1", "toolu_side", isSidechain=True),
]


@pytest.fixture
def home(tmp_path: Path) -> ClaudeHome:
    return ClaudeHome.at(tmp_path)


def put(home: ClaudeHome, *lines: dict[str, Any] | bytes) -> list[int]:
    """Returns where each line ends."""
    folder = home.transcripts_dir / "-work"
    folder.mkdir(parents=True)
    written = [line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines]
    (folder / f"{SESSION}.jsonl").write_bytes(b"".join(written))
    return [sum(map(len, written[: number + 1])) for number in range(len(written))]


def test_before_a_message_is_where_its_parent_ends(home: ClaudeHome) -> None:
    ends = put(home, *LINES)
    expected = ConversationPoint("r1", "second", kept=3, dropped=(ends[3], ends[-1]))
    assert before_message(home, SESSION, "u2") == expected


def test_before_the_first_there_is_nothing(home: ClaudeHome) -> None:
    ends = put(home, *LINES)
    assert before_message(home, SESSION, "u1") == ConversationPoint(None, "first", kept=0, dropped=(0, ends[-1]))


@pytest.mark.parametrize("other", ["a1", "c1", "r1", "m1", "s1", "nothing", ""])
def test_what_no_person_said_is_no_message(home: ClaudeHome, other: str) -> None:
    put(home, *LINES)
    assert before_message(home, SESSION, other) is None


def test_at_a_call_it_is_made_and_has_no_result(home: ClaudeHome) -> None:
    ends = put(home, *LINES)
    assert at_call(home, SESSION, "toolu_1") == ConversationPoint("c1", None, kept=2, dropped=(ends[2], ends[-1]))
    assert at_call(home, SESSION, "toolu_side") is None
    assert at_call(home, SESSION, "") is None


# faults: E1 E7
def test_damaged_lines_and_circles_are_passed_over(home: ClaudeHome) -> None:
    put(
        home,
        b"{broken\n",
        b"\0\0\0\n",
        b"[]\n",
        *LINES,
        {"type": "assistant", "uuid": "x", "parentUuid": "y"},
        {"type": "assistant", "uuid": "y", "parentUuid": "x"},
        user("u3", "y", "third"),
        user("u4", "nowhere", "fourth"),
        b'{"type":"user","uuid":"cut',
    )
    found = before_message(home, SESSION, "u3")
    assert found is not None and (found.at, found.kept) == ("y", 2)
    orphan = before_message(home, SESSION, "u4")
    assert orphan is not None and (orphan.at, orphan.kept) == (None, 0)


@pytest.mark.parametrize("session", ["../../etc/passwd", "x", SESSION])
def test_no_such_session(home: ClaudeHome, session: str) -> None:
    assert before_message(home, session, "u1") is None


def told(uuid: str, **more: Any) -> dict[str, Any]:
    return {"type": "user", "uuid": uuid, "cwd": "/w", "message": {"role": "user", "content": "x"}, **more}


def answers(uuid: str, *calls: str, id: str = "m1", model: str = "m") -> dict[str, Any]:
    content = [{"type": "tool_use", "id": call, "name": "Bash", "input": {}} for call in calls]
    text = [{"type": "text", "text": "y"}]
    return {"type": "assistant", "uuid": uuid, "message": {"id": id, "model": model, "content": content or text}}


def noted(leaf: str) -> dict[str, Any]:
    return {"type": "last-prompt", "lastPrompt": "x", "leafUuid": leaf}


def result(uuid: str, call: str) -> dict[str, Any]:
    return told(uuid, message={"content": [{"type": "tool_result", "tool_use_id": call, "content": "z"}]})


@pytest.mark.parametrize(
    ("lines", "point"),
    [
        ([], None),
        ([told("1")], "1"),
        ([told("1"), answers("2")], "2"),
        ([told("1"), answers("2", "a"), result("3", "a")], "3"),
        ([told("1"), answers("2", "a")], "1"),
        # Of two calls in one message one has run; what was said before them in it goes with them.
        ([told("1"), answers("2"), answers("3", "a"), answers("4", "b"), result("5", "a")], "1"),
        ([told("1"), answers("2"), told("3"), answers("4", "a", id="m2")], "3"),
        ([told("1"), answers("2", id="m0", model="<synthetic>")], "1"),
        ([told("1"), {**answers("2"), "isSidechain": True}], "1"),
        # faults: E1 E2
        ([told("1"), {"type": "attachment", "uuid": "2"}, [], {"type": "user"}, told("3", message=None)], "3"),
    ],
)
def test_the_newest_message_has_no_open_call_before_it(home: ClaudeHome, lines: list[Any], point: str | None) -> None:
    put(home, *(compact(line) for line in lines), b'{"type":"user","uu')
    assert newest_message(home, SESSION) == point


def test_what_a_rewinding_left_behind_holds_no_newest_message(home: ClaudeHome) -> None:
    lines = [told("1"), answers("2"), told("3"), answers("4", id="m2")]
    ends = put(home, *map(compact, lines))
    assert newest_message(home, SESSION, [(ends[1], ends[3])]) == "2"
    assert newest_message(home, SESSION, [(ends[1], ends[2])]) == "4"
    assert newest_message(home, SESSION, [(0, ends[3])]) is None


def test_what_was_said_after_a_rewinding_is_out_of_reach_until_claude_code_has_noted_it(home: ClaudeHome) -> None:
    lines = [told("1"), answers("2"), told("3", parentUuid="2"), told("4", parentUuid="2"), noted("3"), told("5")]
    ends = put(home, *map(compact, lines))
    assert newest_message(home, SESSION, [(ends[1], ends[2])]) == "2"
    assert newest_message(home, SESSION, [(ends[0], ends[1])]) == "5"
    with (home.transcripts_dir / "-work" / f"{SESSION}.jsonl").open("ab") as file:
        file.write(compact(noted("5")))
    assert newest_message(home, SESSION, [(ends[1], ends[2])]) == "5"


def test_no_file_has_no_newest_message(home: ClaudeHome) -> None:
    assert newest_message(home, SESSION) is None
