"""Whether anybody has spoken in a session since: told from what its file has grown by."""

import json
from pathlib import Path

import pytest

from glasshouse.claude_home import ClaudeHome
from glasshouse.claude_home.growth import marks_of, unless_spoken

SESSION = "00000000-0000-4000-8000-000000000001"
SAID = {"type": "user", "uuid": "u1", "message": {"role": "user", "content": "hello"}}
NOTED = {"type": "custom-title", "customTitle": "A name", "sessionId": SESSION}


@pytest.fixture
def home(tmp_path: Path) -> ClaudeHome:
    return ClaudeHome.at(tmp_path)


def write(home: ClaudeHome, *lines: object, folder: str = "-work", mode: str = "a", end: str = "\n") -> Path:
    path = home.transcripts_dir / folder / f"{SESSION}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open(mode) as file:
        file.write("".join(json.dumps(line) + end for line in lines))
    return path


def test_where_nobody_writes_nobody_has_spoken(home: ClaudeHome) -> None:
    write(home, SAID)
    before = marks_of(home, SESSION)
    assert before and unless_spoken(home, SESSION, before) == before


def test_a_session_that_does_not_exist_yet_is_unspoken_until_it_does(home: ClaudeHome) -> None:
    assert unless_spoken(home, SESSION, ()) == ()
    write(home, NOTED)
    assert unless_spoken(home, SESSION, ()) is None


def test_what_is_noted_beside_the_conversation_is_no_word(home: ClaudeHome) -> None:
    write(home, SAID)
    before = marks_of(home, SESSION)
    write(home, NOTED, {"type": "cost-state", "totalCostUSD": 1})
    now = unless_spoken(home, SESSION, before)
    assert now not in (None, before)
    assert now is not None and unless_spoken(home, SESSION, now) == now


# faults: E6
@pytest.mark.parametrize(
    "word",
    [SAID, {"type": "system", "subtype": "compact_boundary", "uuid": "u2"}, "not an object", {"no": "type"}],
    ids=["a message", "a compaction", "damaged", "unknown"],
)
def test_a_word_is_a_word_also_behind_a_note(home: ClaudeHome, word: object) -> None:
    write(home, SAID)
    before = marks_of(home, SESSION)
    write(home, NOTED, word)
    assert unless_spoken(home, SESSION, before) is None


# faults: E6
def test_half_a_line_may_become_a_word(home: ClaudeHome) -> None:
    write(home, SAID)
    before = marks_of(home, SESSION)
    write(home, NOTED, end="")
    assert unless_spoken(home, SESSION, before) is None


# faults: E6
def test_a_file_that_was_cut_replaced_or_rewritten_is_another_conversation(home: ClaudeHome) -> None:
    path = write(home, SAID, NOTED)
    before = marks_of(home, SESSION)
    write(home, SAID, mode="w")
    assert unless_spoken(home, SESSION, before) is None

    path.unlink()
    assert unless_spoken(home, SESSION, before) is None

    path.with_suffix(".new").write_text(json.dumps(SAID) + "\n" + json.dumps(NOTED) + "\n")
    path.with_suffix(".new").replace(path)
    assert unless_spoken(home, SESSION, before) is None


def test_who_went_on_from_another_directory_has_spoken_too(home: ClaudeHome) -> None:
    write(home, SAID)
    before = marks_of(home, SESSION)
    write(home, SAID, folder="-elsewhere")
    assert unless_spoken(home, SESSION, before) is None
