"""How an event becomes bytes: whatever an agent says, valid JSON of at most 64 KB, and what is cut can be had whole."""

import hashlib
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from glasshouse.contract.events import (
    Complete,
    CompleteMetadata,
    Event,
    Info,
    Stamp,
    Text,
    TextDelta,
    ToolResult,
    ToolUse,
    any_event,
)
from glasshouse.contract.task import TaskStatus
from glasshouse.core.encoding import EVENT_LIMIT, entry_of
from glasshouse.core.ports import Entry

STAMP: Stamp = {"session_id": "s", "task_id": "t", "timestamp": "2026-01-02T03:04:05.678Z"}


def text(content: str) -> Text:
    return Text(content=content, **STAMP)


def call(tool_input: dict[str, Any]) -> ToolUse:
    return ToolUse(content="Bash", tool_name="Bash", tool_use_id="t1", tool_input=tool_input, **STAMP)


def read(entry: Entry) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(entry.body)
    return found


def at(value: Any, pointer: str) -> Any:
    """By RFC 6901."""
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        value = value[int(name)] if isinstance(value, list) else value[name]
    return value


def nested(depth: int) -> Any:
    value: Any = "the bottom"
    for level in range(depth):
        value = {"a": value} if level % 2 else [value]
    return value


class TestAnOrdinaryEvent:
    def test_it_is_what_it_was_without_what_is_not_known(self) -> None:
        assert read(entry_of(text("你好 🗂 \n \u2028 <b>"))) == {
            "type": "text",
            "content": "你好 🗂 \n \u2028 <b>",
            **STAMP,
        }

    # faults: C6
    def test_it_is_one_line_whatever_it_says(self) -> None:
        body = entry_of(text("a\n\nevent: approval\r\ndata: x\r\0")).body

        assert b"\n" not in body
        assert b"\r" not in body

    def test_it_knows_whose_it_is_and_whether_it_is_kept(self) -> None:
        delta = TextDelta(content="Hel", **STAMP)

        assert (entry_of(text("x")).task_id, entry_of(text("x")).durable) == ("t", True)
        assert not entry_of(delta).durable

    def test_only_complete_ends_a_task(self) -> None:
        end = CompleteMetadata(session_id="s", status=TaskStatus.COMPLETED, is_error=False)

        assert entry_of(Complete(content="done", metadata=end, **STAMP)).ends_task
        assert not entry_of(text("complete")).ends_task


# faults: E2
class TestWhatJsonCannotCarry:
    def test_lone_surrogates_are_replaced_and_pairs_joined(self) -> None:
        assert read(entry_of(text("a\ud800b \ud83d\ude00 \udfff")))["content"] == "a\ufffdb 😀 \ufffd"
        assert read(entry_of(call({"\ud800": "\udc00"})))["tool_input"] == {"\ufffd": "\ufffd"}

    @pytest.mark.parametrize(
        "number", [2**64, -(2**63) - 1, 10**5000, -(10**5000)], ids=["2⁶⁴", "-2⁶³-1", "5,000 digits", "-5,000 digits"]
    )
    def test_integers_beyond_64_bits_become_text(self, number: int) -> None:
        found = read(entry_of(call({"n": number})))["tool_input"]["n"]

        assert isinstance(found, str)
        assert int(found, 16 if "x" in found else 10) == number

    def test_the_largest_integers_stay_numbers(self) -> None:
        numbers = [2**64 - 1, -(2**63), 0, True]

        assert read(entry_of(call({"n": numbers})))["tool_input"]["n"] == numbers

    def test_no_number_is_null(self) -> None:
        found = read(entry_of(call({"n": [float("nan"), float("inf"), 1.5]})))

        assert found["tool_input"] == {"n": [None, None, 1.5]}

    @pytest.mark.parametrize("depth", [99, 150, 250, 300, 900])
    def test_endless_nesting_ends_where_every_reader_can_follow(self, depth: int) -> None:
        entry = entry_of(call({"deep": nested(depth)}))

        assert isinstance(any_event.validate_json(entry.body), ToolUse)

    def test_a_hundred_flat_things_are_no_nesting(self) -> None:
        flat = [{"n": [n]} for n in range(1000)]

        assert read(entry_of(call({"flat": flat})))["tool_input"] == {"flat": flat}

    def test_values_of_python_are_shown_as_text(self) -> None:
        found = read(entry_of(call({"b": b"x", "k": {1: 2}})))["tool_input"]

        assert found == {"b": "b'x'", "k": {"1": 2}}


class TestWhatIsTooLong:
    @pytest.mark.parametrize("letter", ["a", "é", "字", "😀", "\x01", '"', "\\"])
    def test_a_long_text_is_cut_and_kept_whole_beside_it(self, letter: str) -> None:
        whole = letter * 200_000

        entry = entry_of(text(whole))

        found = read(entry)
        [blob] = entry.blobs
        assert len(entry.body) <= EVENT_LIMIT
        assert found["content"]
        assert whole.startswith(found["content"])
        assert blob.content.decode() == whole
        assert found["truncated"] == {"/content": {"bytes": len(whole.encode()), "sha256": blob.sha256}}

    def test_most_of_what_fits_is_shown(self) -> None:
        assert len(read(entry_of(text("a" * 200_000)))["content"]) > 60_000

    @pytest.mark.parametrize(("length", "cut"), [(65_000, False), (66_000, True)])
    def test_nothing_is_cut_that_fits(self, length: int, cut: bool) -> None:
        assert ("truncated" in read(entry_of(text("a" * length)))) is cut

    def test_the_longest_are_cut_first(self) -> None:
        entry = entry_of(call({"short": "s" * 9_000, "long": "l" * 90_000, "middle": "m" * 40_000}))

        assert list(read(entry)["truncated"]) == ["/tool_input/long"]

    def test_names_are_escaped_in_pointers(self) -> None:
        found = read(entry_of(call({"a/b~c": ["x", {"": "y" * 100_000}]})))

        assert list(found["truncated"]) == ["/tool_input/a~1b~0c/1/"]
        assert at(found, "/tool_input/a~1b~0c/1/") == "y" * len(found["tool_input"]["a/b~c"][1][""])

    def test_a_branch_without_long_strings_is_left_out_as_one(self) -> None:
        numbers = list(range(100_000))

        entry = entry_of(call({"numbers": numbers, "path": "a.py"}))

        found = read(entry)
        assert found["tool_input"] == {"numbers": [], "path": "a.py"}
        assert list(found["truncated"]) == ["/tool_input/numbers"]
        assert json.loads(entry.blobs[0].content) == numbers

    def test_an_end_with_thousands_of_files_still_says_how_it_ended(self) -> None:
        files = [f"src/module_{n}.py" for n in range(10_000)]
        end = CompleteMetadata(session_id="s", status=TaskStatus.COMPLETED, is_error=False, files_changed=files)

        entry = entry_of(Complete(content="done", metadata=end, **STAMP))

        event = any_event.validate_json(entry.body)
        assert isinstance(event, Complete)
        assert event.metadata.status is TaskStatus.COMPLETED
        assert json.loads(entry.blobs[0].content) == files

    def test_a_first_event_with_endless_tools_still_has_its_prompt(self) -> None:
        tools = [f"mcp__server__tool_{n}" for n in range(10_000)]

        entry = entry_of(Info(content="begun", metadata={"prompt": "do it", "tools": tools}, **STAMP))

        assert read(entry)["metadata"] == {"prompt": "do it", "tools": []}

    @pytest.mark.parametrize(
        "tool_input",
        [
            {f"k{n}": "x" * 1100 for n in range(10_000)},
            {"k" * 2000 + str(n): "v" * 2000 for n in range(1000)},
            {"k" * 100_000: 1},
            {"k" * 100_000: {"k" * 100_000: ["v" * 100_000]}},
            {"a": [["x" * 900] * 50] * 50},
        ],
        ids=["many middling strings", "long names", "one endless name", "endless names all the way", "short strings"],
    )
    def test_what_cannot_be_cut_string_by_string_still_fits(self, tool_input: dict[str, Any]) -> None:
        check(call(tool_input))


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(), max_size=50)
    | st.builds(str.__mul__, st.text(min_size=1, max_size=4), st.sampled_from([1, 500, 1100, 20_000, 70_000])),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=6), inner, max_size=6),
    max_leaves=30,
)
SETTINGS = settings(
    max_examples=100, deadline=None, database=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)


@SETTINGS
@given(st.dictionaries(st.text(max_size=6), VALUES, max_size=8))
@example({"a": ["\ud800" * 70_000, {"~/": "字" * 70_000}]})
def test_any_call_fits_and_can_be_put_together_again(tool_input: dict[str, Any]) -> None:
    check(call(tool_input))


@SETTINGS
@given(st.text(max_size=100), st.integers(1, 3000), st.lists(st.text(max_size=20), max_size=2000))
def test_any_result_fits_and_can_be_put_together_again(content: str, times: int, files: list[str]) -> None:
    result = ToolResult(content=content * times, tool_use_id="t1", is_error=False, files_changed=files, **STAMP)
    check(result)


def check(event: Event) -> None:
    entry = entry_of(event)
    assert len(entry.body) <= EVENT_LIMIT
    any_event.validate_json(entry.body)
    found = read(entry)
    by_name = {blob.sha256: blob.content for blob in entry.blobs}
    for sha256, content in by_name.items():
        assert hashlib.sha256(content).hexdigest() == sha256
    for pointer, cut in found.get("truncated", {}).items():
        kept, whole = at(found, pointer), by_name[cut["sha256"]]
        assert cut["bytes"] == len(whole)
        if isinstance(kept, str):
            assert whole.decode().startswith(kept)
        else:
            assert not kept
            assert isinstance(json.loads(whole), type(kept))
    assert ("truncated" in found) == bool(entry.blobs)
