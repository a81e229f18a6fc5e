"""What a transcript tells of calls that were put off, answered, or cut off."""

import json
from pathlib import Path
from typing import Any

import pytest

from glasshouse.claude_home import ClaudeHome
from glasshouse.claude_home.unfinished import Unfinished, unfinished

SESSION = "0b7a3a4e-3d0c-4b52-9f5b-0a4d4c0a9a11"
PROMPT = {"type": "user", "uuid": "u1", "cwd": "/work", "message": {"role": "user", "content": "go"}}
PUT_OFF = {"type": "attachment", "uuid": "a1", "attachment": {"type": "hook_deferred_tool", "toolUseID": "toolu_q"}}


def result(call_id: str, content: Any = "Answered.", **fields: Any) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": call_id, "content": content}
    return {"type": "user", "uuid": f"r-{call_id}", "message": {"role": "user", "content": [block]}, **fields}


@pytest.fixture
def home(tmp_path: Path) -> ClaudeHome:
    return ClaudeHome.at(tmp_path)


def left(home: ClaudeHome, *lines: dict[str, Any]) -> Unfinished:
    folder = home.transcripts_dir / "-work"
    folder.mkdir(parents=True)
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    (folder / f"{SESSION}.jsonl").write_text(text)
    return unfinished(home, SESSION)


def test_without_a_transcript_nothing_is_left(home: ClaudeHome) -> None:
    assert unfinished(home, SESSION) == Unfinished()


def test_a_call_that_was_put_off_is_left(home: ClaudeHome) -> None:
    found = left(home, PROMPT, PUT_OFF)

    assert found.exists and found.deferred == "toolu_q"
    assert not found.results and found.messages == {"u1"}


def test_its_result_ends_that_and_the_results_of_others_do_not(home: ClaudeHome) -> None:
    assert left(home, PROMPT, PUT_OFF, result("toolu_b")).deferred == "toolu_q"


def test_what_has_a_result_is_not_left(home: ClaudeHome) -> None:
    found = left(home, PROMPT, PUT_OFF, result("toolu_q"))

    assert found.deferred is None and found.results == {"toolu_q"}


@pytest.mark.parametrize("tool", ["AskUserQuestion", "mcp__glasshouse__ask_user_question"])
def test_what_asks_a_person_is_known_unless_it_was_left_behind(home: ClaudeHome, tool: str) -> None:
    calls = [{"type": "tool_use", "id": f"toolu_{name}", "name": name, "input": {}} for name in (tool, "Bash")]
    asks = {"type": "assistant", "uuid": "m1", "message": {"role": "assistant", "content": calls}}
    assert left(home, PROMPT, asks).asked == {f"toolu_{tool}"}
    assert unfinished(home, SESSION, [(1, 10_000)]).asked == frozenset()


def test_a_later_prompt_takes_its_place(home: ClaudeHome) -> None:
    assert left(home, PROMPT, PUT_OFF, {**PROMPT, "uuid": "u2"}).deferred is None


def test_what_claude_code_puts_for_a_missing_result_is_none(home: ClaudeHome) -> None:
    assert left(home, PROMPT, result("toolu_b", "[Tool call interrupted: the session ended")).results == frozenset()


def test_a_sub_agents_lines_and_damaged_ones_are_passed_over(home: ClaudeHome) -> None:
    folder = home.transcripts_dir / "-work"
    found = left(home, PROMPT, result("toolu_a", isSidechain=True))
    assert found.results == frozenset()

    with (folder / f"{SESSION}.jsonl").open("a") as file:
        file.write('{"type":"user","message":{"content":[{"type":"tool_res\n')
    assert unfinished(home, SESSION) == Unfinished(True, frozenset(), frozenset({"u1"}), None)


def test_what_was_said_into_a_running_turn_is_among_the_messages(home: ClaudeHome) -> None:
    attachment = {"type": "queued_command", "prompt": "mind", "source_uuid": "s1"}
    joined = {"type": "attachment", "uuid": "a2", "attachment": attachment}
    waits = {"type": "queue-operation", "operation": "enqueue", "content": "mind", "commandUuid": "s2"}

    assert left(home, PROMPT, joined, waits).messages == {"u1", "s1"}
