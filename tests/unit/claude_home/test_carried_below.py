"""Skills and commands in folders below a working directory."""

from pathlib import Path

import pytest

from glasshouse.claude_home.carried import below
from glasshouse.claude_home.carried.below import TooMuchBelow, carried_below


def _skill(folder: Path, text: str) -> None:
    path = folder / ".claude" / "skills" / "x" / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text(text)


def test_those_that_run_something_are_found_however_deep_and_the_directorys_own_are_not_meant(tmp_path: Path) -> None:
    _skill(tmp_path, "!`own`")
    _skill(tmp_path / "a", "plain")
    _skill(tmp_path / "node_modules" / "b" / "c", "!`ls`")
    _skill(tmp_path / ".git" / "d", "!`never looked at`")
    (tmp_path / "loop").symlink_to(tmp_path)

    assert [item.path.parts[-6:-4] for item in carried_below(tmp_path)] == [("b", "c")]


def test_more_than_can_be_looked_through_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(below, "_MOST_ENTRIES", 10)
    for number in range(11):
        (tmp_path / str(number)).touch()
    with pytest.raises(TooMuchBelow):
        carried_below(tmp_path)
