"""What a conversation comes to: its title, counts, tools, files and cost, whatever its lines are like."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.terminal import Transcript

from glasshouse.claude_home import blocks as blocks_module
from glasshouse.claude_home.digest import Digest
from glasshouse.claude_home.digesting import Found, Job, digested
from glasshouse.claude_home.words import short_words


@pytest.fixture
def transcript(tmp_path: Path) -> Transcript:
    return Transcript(tmp_path / "projects", "/work/a")


def found_in(transcript: Transcript, *, texts: bool = True) -> Found:
    *_, last = digested(Job(str(transcript.path), texts=texts))
    return last


def digest_of(transcript: Transcript) -> Digest:
    """Read whole; and a glance must come to the same."""
    read, skimmed = found_in(transcript), found_in(transcript, texts=False)
    assert read.digest == skimmed.digest
    return Digest.of(shown_in(read))


def shown_in(found: Found) -> dict[str, Any]:
    shown = found.shown or found.digest
    assert shown is not None
    return shown


def said_in(transcript: Transcript) -> str:
    return "\n".join(body for body, _ in found_in(transcript).texts)


def test_a_session_is_its_counts_tools_files_and_cost(transcript: Transcript) -> None:
    transcript.prompt("fix the parser").says("I look").calls("Read", "r1", file_path="/work/a/src/p.py").result("r1")
    transcript.calls("Edit", "e1", file_path="/work/a/src/p.py").result("e1").cost(0.01)
    transcript.calls("Write", "w1", file_path="/elsewhere/x").result("w1").calls("Write", "w2", file_path="/work/a/no")
    transcript.result("w2", "denied", is_error=True).says("done").cost(0.25)
    digest = digest_of(transcript)
    assert (digest.title, digest.messages, digest.damaged) == ("fix the parser", 11, 0)
    assert list(digest.tools) == ["Read", "Edit", "Write"]
    assert list(digest.files) == ["src/p.py", "/elsewhere/x"]
    assert digest.cost_usd == 0.25
    assert (digest.cwd, digest.branch, digest.model) == ("/work/a", "main", "claude-opus-5-5")
    assert (digest.began, digest.ended) == ("2026-11-19T21:15:00.327Z", "2026-11-19T21:15:11.327Z")


def test_without_a_cost_state_nobody_knows_the_cost(transcript: Transcript) -> None:
    assert digest_of(transcript.prompt("hi")).cost_usd is None


def test_side_chains_are_not_counted_and_not_searched(transcript: Transcript) -> None:
    transcript.prompt("hi").says("hello").says("from a sub-agent", isSidechain=True)
    transcript.message("user", {"role": "user", "content": "to a sub-agent"}, isSidechain=True)
    assert digest_of(transcript).messages == 2
    assert "sub-agent" not in said_in(transcript)


@pytest.mark.parametrize(
    ("content", "title"),
    [
        ("  plain  ", "plain"),
        ([{"type": "text", "text": "as a block"}], "as a block"),
        ("<ide_selection>x = 1</ide_selection>\nwhat is this?", "what is this?"),
        (
            [
                {"type": "text", "text": "<ide_opened_file>a.py</ide_opened_file>"},
                {"type": "text", "text": "<system-reminder>\nnever</system-reminder>"},
                {"type": "text", "text": "then fix it"},
            ],
            "then fix it",
        ),
        ("why does <div>this</div> wrap?", "why does <div>this</div> wrap?"),
        ("<command-name>/review</command-name><command-args>12 now</command-args>", "/review 12 now"),
        ("啊" * 60, "啊" * 50),
        ([{"type": "image", "source": {}}], ""),
    ],
)
def test_the_title_is_what_a_person_typed_first(transcript: Transcript, content: object, title: str) -> None:
    transcript.prompt("<local-command-caveat>no</local-command-caveat>", isMeta=True).prompt(content)
    digest = digest_of(transcript)
    assert (digest.title or digest.command) == title


def test_a_given_title_and_tag_are_the_last_given(transcript: Transcript) -> None:
    transcript.prompt("hi").line({"type": "custom-title", "customTitle": "one", "sessionId": transcript.id})
    transcript.line({"type": "tag", "tag": "old"}).line({"type": "custom-title", "customTitle": "two"})
    transcript.line({"type": "tag", "tag": "new"})
    digest = digest_of(transcript)
    assert (digest.custom_title, digest.tags) == ("two", ["new"])


def test_files_of_snapshots_count(transcript: Transcript) -> None:
    transcript.prompt("hi").line({"type": "file-history-snapshot", "snapshot": {"trackedFileBackups": {}}})
    backups: dict[str, object] = {"src/a.py": {}, "/work/a/src/b.py": {}}
    transcript.line({"type": "file-history-snapshot", "snapshot": {"trackedFileBackups": backups}})
    transcript.line({"type": "file-history-delta", "trackingPath": "c.txt"})
    assert list(digest_of(transcript).files) == ["src/a.py", "src/b.py", "c.txt"]


def test_a_message_sent_into_a_running_turn_is_found(transcript: Transcript) -> None:
    attachment = {"type": "queued_command", "prompt": "and the docs as well"}
    transcript.prompt("hi").line(
        {"parentUuid": None, "isSidechain": False, "attachment": attachment, "type": "attachment"}
    )
    assert "and the docs as well" in said_in(transcript)


# faults: E1
def test_damaged_lines_are_counted_and_lose_nothing_else(transcript: Transcript) -> None:
    transcript.prompt("one").raw(b'{"parentUuid":"x","isSide').says("two").raw(b"\0" * 400).says("three")
    transcript.raw(b'\n  \n[1,2]\n"text"\n').prompt("four").raw(b'{"parentUuid":null,"isSidechain":fal')
    before = transcript.path.read_bytes()
    digest = digest_of(transcript)
    assert (digest.messages, digest.damaged) == (4, 4)
    assert transcript.path.read_bytes() == before


# faults: E2
@pytest.mark.parametrize(
    "line",
    [
        b'{"type":"assistant","message":{"content":[{"type":"text","text":"lone \\ud83d here"}]}}',
        b'{"type":"assistant","message":{"content":"x","n":' + b"1" * 5_000 + b"}}",
        b'{"type":"assistant","message":{"content":"\xff\xfe broken"}}',
        b'{"type":"assistant","cost":NaN,"message":{"content":"nan"}}',
        b'\xef\xbb\xbf{"type":"assistant","message":{"content":"a mark before"}}',
        '{"type":"assistant","message":{"content":"line\u2028separators\u0085inside"}}'.encode(),
        b'{"type":"user","type":"assistant","message":{"content":"twice"}}',
        b'{"type":"assistant","__proto__":{"x":1},"message":{"content":"proto"}}',
        b'{"type":"assistant","cwd":7,"timestamp":[],"gitBranch":{},"message":{"model":3,"content":[null,4]}}',
        b'{"type":"assistant","message":"not an object"}',
    ],
)
def test_strange_values_are_intact_lines(transcript: Transcript, line: bytes) -> None:
    transcript.prompt("before").raw(line + b"\n").says("after")
    digest = digest_of(transcript)
    assert (digest.messages, digest.damaged) == (3, 0)
    json.dumps(digest.saved(), allow_nan=False).encode()
    said_in(transcript).encode()


# faults: E2
def test_a_line_nested_too_deeply_is_damaged_and_no_more(transcript: Transcript) -> None:
    deep = b'{"type":"user","message":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"
    digest = digest_of(transcript.prompt("before").raw(deep).says("after"))
    assert (digest.messages, digest.damaged) == (2, 1)


# faults: E3
def test_a_line_too_long_to_hold_is_known_by_its_beginning(
    transcript: Transcript, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks_module, "LINE_LIMIT", 200_000)
    monkeypatch.setattr(blocks_module, "BLOCK", 4_096)
    transcript.prompt("hi").calls("Bash", "b1").result("b1", "x" * 500_000).raw(b"y" * 300_000 + b"\n").says("end")
    digest = digest_of(transcript)
    assert (digest.messages, digest.damaged) == (4, 1)
    assert found_in(transcript).offset == transcript.path.stat().st_size


# faults: E6
@pytest.mark.parametrize("texts", [True, False])
def test_reading_on_at_every_byte_comes_to_what_one_reading_does(transcript: Transcript, texts: bool) -> None:
    transcript.prompt("fix it 数据").says("yes").calls("Edit", "e1", file_path="/work/a/x").result("e1").cost(1.5)
    transcript.line({"type": "custom-title", "customTitle": "t"}).raw(b"{broken}\n").says("the end")
    whole, wanted = transcript.path.read_bytes(), digest_of(transcript).saved()
    transcript.path.write_bytes(b"")
    job, said = Job(str(transcript.path), texts=texts), []
    for end in range(0, len(whole), 7):
        transcript.raw(whole[end : end + 7])
        *_, last = digested(job)
        assert last.digest is not None
        assert not (job.offset and last.anew)
        said += [body for body, _ in last.texts]
        job = Job(job.path, texts, last.offset, last.proof, dict(last.digest))
    assert shown_in(last) == wanted
    assert said == (["fix it 数据", "yes", "the end"] if texts else [])


# faults: E6
def test_a_last_line_without_an_end_counts_once_it_is_whole(transcript: Transcript) -> None:
    transcript.prompt("one").says("two")
    whole = transcript.path.read_bytes()
    transcript.path.write_bytes(whole[:-1])
    assert digest_of(transcript).messages == 2
    transcript.path.write_bytes(whole[:-9])
    assert digest_of(transcript).messages == 1


# faults: E6
@pytest.mark.parametrize("same_inode", [True, False])
def test_another_file_in_its_place_is_read_anew(transcript: Transcript, tmp_path: Path, same_inode: bool) -> None:
    transcript.prompt("the first").says("a")
    first = found_in(transcript)
    other = Transcript(tmp_path / "other", "/work/a").prompt("the second one, which is longer").says("b").says("c")
    if same_inode:
        transcript.path.write_bytes(other.path.read_bytes())
    else:
        other.path.replace(transcript.path)
    assert first.digest is not None
    *_, again = digested(Job(first.path, True, first.offset, first.proof, dict(first.digest)))
    assert again.anew
    shown = shown_in(again)
    assert (shown["title"], shown["messages"]) == ("the second one, which is longer", 3)


# faults: E5
def test_what_is_no_regular_file_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "link.jsonl").symlink_to("/etc/passwd")
    for name in ("link.jsonl", "none.jsonl", ""):
        (found,) = digested(Job(str(tmp_path / name), texts=True))
        assert (found.digest, found.is_last) == (None, True)


def test_short_words_are_each_character_and_each_two_neighbours_where_there_are_no_blanks() -> None:
    assert set(short_words("登录页 go ok, longer A组 no_way").split()) >= {"登", "登录", "录页", "go", "ok", "A组"}
    assert not {"lo", "ng", "no"} & set(short_words("longer no_way").split())


def test_the_process_that_reads_waits_for_no_import() -> None:
    program = "import sys, glasshouse.claude_home.digesting; print('pydantic' in sys.modules)"
    said = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, check=True, timeout=60).stdout
    assert said.strip() == b"False"
