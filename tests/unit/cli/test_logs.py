"""Logs: one JSON object a line, whatever is logged, and no secret in any."""

import json
import logging
from typing import Any

import pytest

from glasshouse.entrypoints.cli.logs import JsonLines

KEY = "a-key-for-tests-only-0123456789"
ODD = 'schlüssel "mit" \\ zeichen\n'


def line(
    message: str, *arguments: object, secrets: tuple[str, ...] = (), error: Exception | None = None, **extra: Any
) -> str:
    fault = (type(error), error, None) if error is not None else None
    record = logging.LogRecord("glasshouse.test", logging.WARNING, __file__, 1, message, arguments, fault)
    vars(record).update(extra)
    return JsonLines(secrets).format(record)


def test_a_line_says_when_what_and_from_where() -> None:
    found = json.loads(line("task %s broke", "t1", task_id="t1"))

    assert found["level"] == "warning"
    assert found["from"] == "glasshouse.test"
    assert found["message"] == "task t1 broke"
    assert found["task_id"] == "t1"
    assert found["time"].endswith("Z")


# faults: C6
@pytest.mark.parametrize(
    "text", ["a\nb", "a\r\nb", "a\u2028b\u2029c\x85d", "\x1b[31mred\x1b]52;c;x\x07", "\0", "\ud800"]
)
def test_one_log_line_stays_one_line_without_control_codes(text: str) -> None:
    found = line("%s", text, field=text, error=ValueError(text))

    assert len(found.splitlines()) == 1
    assert found.isascii()
    assert found.isprintable()
    assert json.loads(found)["message"] == text


# faults: K2
@pytest.mark.parametrize("secret", [KEY, ODD])
def test_a_secret_is_hidden_wherever_it_stands(secret: str) -> None:
    found = line(f"x{secret}y", secrets=(secret,), field={"deep": [secret]}, error=ValueError(secret))

    assert secret not in found
    assert json.dumps(secret)[1:-1] not in found
    assert found.count("•••") + found.count("\\u2022\\u2022\\u2022") >= 3


def test_of_two_secrets_where_one_begins_with_the_other_nothing_is_left() -> None:
    found = line(KEY + "-and-more", secrets=(KEY, KEY + "-and-more"))

    assert "more" not in found


def test_a_word_of_everyday_is_no_secret() -> None:
    assert "debug" in line("debug", secrets=("debug", ""))


def test_what_json_does_not_know_is_shown_as_text() -> None:
    assert json.loads(line("x", field=object))["field"].startswith("<class")
