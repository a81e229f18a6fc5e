"""Every intact record of a line is found."""

import orjson
import pytest

from glasshouse.claude_home.lines import read_line, record_in

WHOLE = b'{"uuid":"1","text":"whole"}'
RECORD = {"uuid": "1", "text": "whole"}


@pytest.mark.parametrize(
    "line",
    [WHOLE, WHOLE + b"\r\n", b"\0" * 300 + WHOLE + b"\n", b"\xef\xbb\xbf" + WHOLE, b"  " + WHOLE + b"\0\0"],
)
def test_what_stands_around_a_record_does_no_harm(line: bytes) -> None:
    # faults: E1 E2
    found = read_line(line)

    assert found.records == (RECORD,) and not found.damaged


@pytest.mark.parametrize(
    "stub",
    [
        b"{",
        b'{"uu',
        b'{"parentUuid":null,"message":{"role":"us',
        b'{"message":{"content":"quoted \\"',
        b'{"a":1},',
        b"[1, 2] ",
        b"\xff\xfe ",
    ],
)
def test_the_record_behind_a_stub_is_found_and_the_stub_is_told(stub: bytes) -> None:
    # faults: E1
    found = read_line(stub + WHOLE + b"\n")

    assert found.records[-1] == RECORD and found.damaged


def test_two_records_on_one_line_are_two_records() -> None:
    assert read_line(WHOLE + b'{"uuid":"2"}').records == (RECORD, {"uuid": "2"})


@pytest.mark.parametrize("line", [b"", b"\n", b" \t\r\n"])
def test_a_blank_line_is_no_damage(line: bytes) -> None:
    assert read_line(line).records == () and not read_line(line).damaged


@pytest.mark.parametrize(
    "line", [b"null", b"[]", b'"text"', b"3", b"{", b'{"a":', b"[" * 100_000, b'{"a":' * 100_000, b'{"' * 100_000]
)
def test_what_is_no_record_is_damage(line: bytes) -> None:
    # faults: E1 E2
    assert read_line(line).records == () and read_line(line).damaged


@pytest.mark.parametrize(
    ("value", "read"),
    [
        (rb'"a\ud800b"', "a\ufffdb"),
        (rb'"\ud83d\ude00"', "\U0001f600"),
        (b"7" * 5_000, "7" * 5_000),
        (b"-" + b"7" * 5_000, "-" + "7" * 5_000),
        (b'"\xff"', "\ufffd"),
        ('"\u2028\u0085"'.encode(), "\u2028\u0085"),
        (b'{"__proto__":{"x":1}}', {"__proto__": {"x": 1}}),
    ],
)
def test_odd_values_are_intact_and_can_be_said_in_utf8(value: bytes, read: object) -> None:
    # faults: E2
    record = record_in(b'{"uuid":"1","odd":' + value + b"}\n")

    assert record == {"uuid": "1", "odd": read}
    assert orjson.loads(orjson.dumps(record)) == record


def test_of_a_name_that_comes_twice_the_last_one_counts() -> None:
    # faults: E2
    assert record_in(b'{"uuid":"0","uuid":"1","text":"whole"}') == RECORD


def test_what_is_no_number_is_said_as_null() -> None:
    # faults: E2
    assert orjson.dumps(record_in(b'{"odd":NaN,"more":-Infinity}')) == b'{"odd":null,"more":null}'
