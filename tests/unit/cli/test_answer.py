"""`glasshouse answer`: foreign text made plain, and what it says when it cannot begin."""

import os
import sys
from pathlib import Path

import pytest

from glasshouse.entrypoints.cli import main
from glasshouse.entrypoints.cli.answer.keys import _keys_in
from glasshouse.entrypoints.cli.answer.plain import fitted, plain, plain_lines


# faults: C6
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a sentence. 中文，标点", "a sentence. 中文，标点"),
        ("\x1b[2J\x9b2J", "\\x1b[2J\\x9b2J"),
        ("\x1b]8;;http://x\x07link", "\\x1b]8;;http://x\\x07link"),
        ("\x1b]52;c;aGk=\x07", "\\x1b]52;c;aGk=\\x07"),
        ("a\rb\nc\u2028d\u2029e\x85f", "a\\x0db\\x0ac\\u2028d\\u2029e\\x85f"),
        ("\u202etxt.exe \u2066x\u2069\u200f", "\\u202etxt.exe \\u2066x\\u2069\\u200f"),
        ("\ufeff\u200b\xad", "\\ufeff\\u200b\\xad"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\U000e0041"),
        ("👩\u200d🚀", "👩\u200d🚀"),
        ("a\tb", "a    b"),
    ],
)
def test_what_would_steer_a_terminal_is_spelt_out(text: str, shown: str) -> None:
    assert plain(text) == shown


def test_lines_stay_lines() -> None:
    assert plain_lines("a\r\nb\n\x1bc") == ["a", "b", "\\x1bc"]


@pytest.mark.parametrize(("columns", "shown"), [(0, ""), (1, "a"), (2, "a"), (3, "a中"), (4, "a中b"), (9, "a中b")])
def test_what_fits_is_counted_in_columns(columns: int, shown: str) -> None:
    assert fitted("a中b", columns) == shown


@pytest.mark.parametrize(
    ("typed", "keys"),
    [
        ("1\r", ["1", "\r"]),
        ("\x1b[A\x1bOB中", ["\x1b[A", "\x1bOB", "中"]),
        ("\x1b[1;5A\x1b[3~x", ["\x1b[1;5A", "\x1b[3~", "x"]),
        ("\x1b", ["\x1b"]),
    ],
)
def test_a_sequence_is_one_key(typed: str, keys: list[str]) -> None:
    assert _keys_in(typed) == keys


@pytest.fixture(autouse=True)
def _at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in list(os.environ):
        if variable.startswith(("GLASSHOUSE_", "XDG_")) or variable == "WORKING_DIR":
            monkeypatch.delenv(variable)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GLASSHOUSE_DATA_DIR", str(tmp_path / "data"))


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ([], 1, "no server runs on"),
        (["--session", "\x1b[2J"], 2, "\\x1b[2J is no session's id"),
    ],
)
def test_what_it_cannot_begin_with_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, said: str
) -> None:
    monkeypatch.setattr(sys, "argv", ["glasshouse", "answer", *arguments])

    assert main() == code
    assert said in capsys.readouterr().err
