"""By page, from files that grow, break, are replaced, or are too large to be held."""

import json
import logging
import os
import shutil
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from tests.support.transcripts import Library, Written, text_of

from glasshouse.claude_home.conversation.reader import PAGE_BYTES
from glasshouse.contract.errors import NotFound, PositionGone, PositionInvalid
from glasshouse.contract.message import Message
from glasshouse.core.ports import MessagesWanted

MB = 1024 * 1024
_ALL = MessagesWanted(limit=200)


def lines(count: int, written: Written) -> None:
    for number in range(count):
        written.user(f"line {number}")


async def whole(library: Library, written: Written, uuid: str) -> tuple[dict[str, object], bytes]:
    found = await library.reader.message(written.session_id, uuid, offline=False)
    assert found is not None
    return dict(found.fields), b"".join(found.pieces())


class TestPages:
    @pytest.mark.parametrize("limit", [1, 3, 10, 11, 200])
    async def test_every_message_is_on_one_page_from_either_end(
        self, library: Library, written: Written, limit: int
    ) -> None:
        lines(10, written)
        expected = [f"line {number}" for number in range(10)]

        assert await library.texts(written, limit=limit) == expected
        assert await library.texts(written, limit=limit, newest_first=True) == expected[::-1]
        assert (await library.page(written, limit=limit)).total == 10

    async def test_a_place_stays_a_place_while_the_file_grows(self, library: Library, written: Written) -> None:
        lines(4, written)
        oldest = await library.page(written, limit=2)
        newest = await library.page(written, limit=2, newest_first=True)
        lines(3, written)

        forward = await library.page(written, cursor=oldest.next_cursor)
        backward = await library.page(written, cursor=newest.next_cursor, newest_first=True)

        assert [text_of(json.loads(body)) for body in forward.bodies] == [
            *("line 2", "line 3", "line 0", "line 1", "line 2")
        ]
        assert [text_of(json.loads(body)) for body in backward.bodies] == ["line 1", "line 0"]

    async def test_a_place_in_a_file_that_was_replaced_is_gone(self, library: Library, written: Written) -> None:
        # faults: E6
        lines(4, written)
        page = await library.page(written, limit=2)
        written.path.unlink()
        lines(4, written)

        with pytest.raises(PositionGone):
            await library.page(written, cursor=page.next_cursor)

    @pytest.mark.parametrize("cursor", ["", "x", "0", "0-x", "-1-2", "log-3", "1-2-3", "9" * 90])
    async def test_what_is_no_cursor_is_refused(self, library: Library, written: Written, cursor: str) -> None:
        lines(2, written)

        with pytest.raises((PositionInvalid, PositionGone)):
            await library.page(written, cursor=cursor)

    async def test_an_agent_that_is_not_there_is_not_found(self, library: Library, written: Written) -> None:
        lines(2, written)

        for agent in ("nobody", "", "../x"):
            with pytest.raises(NotFound):
                await library.page(written, agent=agent)

    async def test_a_page_is_bounded_in_bytes(self, library: Library, written: Written) -> None:
        for number in range(60):
            written.user(f"{number} " + "x" * 50_000)

        page = await library.page(written)

        assert PAGE_BYTES <= sum(map(len, page.bodies)) < PAGE_BYTES + 64 * 1024
        assert [text.split()[0] for text in await library.texts(written)] == [str(number) for number in range(60)]


class TestLongTexts:
    async def test_a_long_text_is_cut_in_its_page_and_whole_by_itself(self, library: Library, written: Written) -> None:
        text = "字" * 100_000
        uuid = written.prompt(text)

        (message,) = await library.messages(written)
        fields, body = await whole(library, written, uuid)

        assert len(json.dumps(message, ensure_ascii=False).encode()) <= 64 * 1024
        assert message["truncated"] == {"/content/0/text": {"bytes": 300_000}}
        assert text.startswith(message["content"][0]["text"])
        assert json.loads(body) == fields and fields["content"] == [{"type": "text", "text": text}]

    @pytest.mark.parametrize("piece", ["x", 'a "quoted" \\ \n', "\U0001f600字", "\\u0000\\"])
    async def test_a_line_too_long_to_be_parsed_is_whole_by_itself(
        self, library: Library, written: Written, piece: str
    ) -> None:
        # faults: E3 E7
        text = piece * (3 * MB // len(piece.encode()))
        written.prompt("before")
        written.calls("t1", "Read", {"path": "a", "long": text})
        uuid = written.result("t1", [{"type": "text", "text": text}])
        written.says("after")

        _, call, result, after = await library.messages(written)
        _, body = await whole(library, written, uuid)

        Message.model_validate(result)
        assert text_of(after) == "after"
        assert call["content"][0]["name"] == result["content"][0]["tool_name"] == "Read"
        assert call["truncated"].keys() == {"/content/0/input/long"}
        assert text.startswith(result["content"][0]["content"][0]["text"])
        assert json.loads(body)["content"][0]["content"] == [{"type": "text", "text": text}]

    async def test_broken_text_in_a_line_too_long_is_still_valid_json(self, library: Library, written: Written) -> None:
        # faults: E2 E3
        uuid = str(uuid4())
        head = f'{{"parentUuid":null,"type":"user","uuid":"{uuid}","message":{{"content":"'.encode()
        written.raw(head + b"a\xff\\ud800\xe5\xad" * MB + b'"}}\n')

        written.says("after", parent=uuid)

        message, _ = await library.messages(written)
        _, body = await whole(library, written, uuid)

        assert message["uuid"] == uuid
        assert len(json.loads(body.decode())["content"][0]["text"]) > 3 * MB

    async def test_a_line_of_fifty_megabytes_is_read_in_little_memory(self, library: Library, written: Written) -> None:
        # faults: E3
        written.prompt("before")
        uuid = written.user("x" * 50 * MB)
        written.says("after")
        tracemalloc.start()
        try:
            texts = await library.texts(written)
            found = await library.reader.message(written.session_id, uuid, offline=False)
            assert found is not None
            size = sum(map(len, found.pieces()))
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

        assert texts[0] == "before" and texts[2] == "after" and len(texts[1]) < 64 * 1024
        assert size > 50 * MB
        assert peak < 20 * MB

    async def test_a_line_that_is_large_without_a_long_string_is_passed_over_and_told(
        self, library: Library, written: Written
    ) -> None:
        written.prompt("before")
        written.line("user", message={"content": "hidden"}, many=list(range(2_000_000)))
        written.says("after")

        assert await library.texts(written) == ["before", "after"]
        damaged = (await library.page(written)).damaged
        assert damaged is not None and (damaged.lines, damaged.first_line) == (1, 2)


class TestDamage:
    @pytest.mark.parametrize(
        "damage",
        [
            b"{\n",
            b'{"uuid":"x"\n',
            b"\0" * 500 + b"\n",
            b"[1]\n",
            b'"text"\n',
            b"\xff\xfe\n",
            b'{"a":' * 100_000 + b"\n",
        ],
    )
    async def test_damaged_lines_are_passed_over_counted_and_told_once(
        self, library: Library, written: Written, damage: bytes, caplog: pytest.LogCaptureFixture
    ) -> None:
        # faults: E1 E2
        written.prompt("before")
        written.raw(damage + b"\n\n" + damage)
        written.says("after")
        before = written.path.read_bytes()

        with caplog.at_level(logging.WARNING):
            texts = await library.texts(written)
            page = await library.page(written)

        assert texts == ["before", "after"]
        assert page.damaged is not None and (page.damaged.lines, page.damaged.first_line) == (2, 2)
        assert [getattr(record, "first_line", None) for record in caplog.records] == [2]
        assert written.path.read_bytes() == before

    async def test_a_record_behind_a_stub_or_nul_bytes_is_shown(self, library: Library, written: Written) -> None:
        # faults: E1
        written.prompt("before")
        written.raw(b'{"parentUuid":"x","mess')
        written.says("behind a stub")
        written.raw(b"\0" * 700)
        written.says("behind nothing")

        assert await library.texts(written) == ["before", "behind a stub", "behind nothing"]

    async def test_a_last_line_that_was_cut_off_is_told(self, library: Library, written: Written) -> None:
        # faults: E1
        written.prompt("before")
        written.raw(b'{"parentUuid":"x","type":"assis')

        assert await library.texts(written) == ["before"]
        damaged = (await library.page(written)).damaged
        assert damaged is not None and (damaged.lines, damaged.first_line) == (1, 2)

    async def test_odd_values_are_said_in_valid_utf8_json(self, library: Library, written: Written) -> None:
        # faults: E2
        odd = (
            rb'"\ud800",' + b"7" * 5_000 + b',NaN,"\xff","' + "\u2028\u0085".encode() + b'",' + b"[" * 300 + b"]" * 300
        )
        uuid = str(uuid4())
        written.raw(
            b'\xef\xbb\xbf{"type":"assistant","uuid":"' + uuid.encode() + b'","parentUuid":null,"cwd":"/w","message":'
            b'{"id":"m","content":[{"type":"tool_use","id":"t","name":"n","input":{"__proto__":{"x":1},"odd":['
            + odd
            + b"]}}]}}\n"
        )
        page = await library.page(written)
        _, body = await whole(library, written, uuid)

        given = json.loads(page.bodies[0].decode())["content"][0]["input"]
        assert given["__proto__"] == {"x": 1}
        assert given["odd"][:5] == ["\ufffd", "7" * 5_000, None, "\ufffd", "\u2028\u0085"]
        assert json.loads(body.decode())["content"][0]["input"]["odd"][1] == "7" * 5_000


class TestLinksWithoutWords:
    @pytest.mark.parametrize("more", [{}, {"note": '"uuid":"x"'}, {"uuid": "y"}, {"inside": {"uuid": "y"}}])
    async def test_an_attachment_is_a_link_whatever_it_holds(
        self, library: Library, written: Written, more: dict[str, object]
    ) -> None:
        written.prompt("before")
        uuid, parent = str(uuid4()), written.last
        line = {"parentUuid": parent, "isSidechain": False, "attachment": {"type": "prompt_snapshot", **more}}
        rest = {"type": "attachment", "uuid": uuid, "timestamp": "2026-01-01T00:00:00.000Z"}
        written.raw(json.dumps({**line, **rest}, separators=(",", ":")).encode() + b"\n")
        written.raw(b'{"parentUuid":"x","isSidechain":false,"attachment":{"type":"date","a":1\n')
        # Not in the order of the file: only the link leads here.
        written.prompt("a branch", parent=None)
        written.says("after", parent=uuid)

        assert await library.texts(written) == ["before", "after"]
        damaged = (await library.page(written)).damaged
        assert damaged is not None and (damaged.lines, damaged.first_line) == (1, 3)

    async def test_those_of_a_side_chain_stay_in_it(self, library: Library, written: Written) -> None:
        written.prompt("main")
        written.user("aside", parent=None, isSidechain=True, agentId="abc")
        line = {"parentUuid": written.last, "isSidechain": True, "agentId": "abc", "attachment": {"type": "date"}}
        uuid = str(uuid4())
        written.raw(json.dumps({**line, "type": "attachment", "uuid": uuid}, separators=(",", ":")).encode() + b"\n")
        written.says("answered", parent=uuid, isSidechain=True, agentId="abc")

        assert await library.texts(written) == ["main"]
        assert await library.texts(written, agent="abc") == ["aside", "answered"]


class TestGrowth:
    async def test_a_line_is_shown_when_it_is_whole_whoever_looks_meanwhile(
        self, library: Library, written: Written
    ) -> None:
        # faults: E6
        complete = Library(library.home.config_dir.parent / "complete").new()
        complete.session_id, complete.working_dir = written.session_id, written.working_dir
        complete.prompt("first")
        complete.says("second 字")
        content = complete.path.read_bytes()
        firsts = content.index(b"\n")
        seen: list[int] = []
        for place in range(len(content)):
            written.raw(content[place : place + 1])
            found = await library.reader.page(written.session_id, _ALL, offline=False)
            seen.append(0 if found is None else len(found.bodies))

        # The last byte of a record is its brace; the line's end adds nothing.
        assert seen == [0] * (firsts - 1) + [1] * (len(content) - 1 - firsts) + [2] * 2
        assert (await library.page(written)).damaged is None

    async def test_a_file_that_is_replaced_cut_or_written_anew_is_read_anew(
        self, library: Library, written: Written
    ) -> None:
        # faults: E6
        lines(5, written)
        assert len(await library.texts(written)) == 5

        os.truncate(written.path, written.path.read_bytes().index(b"line 2"))
        assert await library.texts(written) == ["line 0", "line 1"]

        written.path.write_bytes(b"")
        written.prompt("of the same inode")
        lines(9, written)
        assert (await library.texts(written))[0] == "of the same inode"

        other = library.new()
        other.prompt("of another inode")
        other.path.replace(written.path)
        assert await library.texts(written) == ["of another inode"]

        written.path.unlink()
        assert await library.reader.page(written.session_id, _ALL, offline=False) is None

    async def test_reading_in_steps_ends_as_reading_at_once(self, library: Library, written: Written) -> None:
        # faults: E6
        for number in range(30):
            written.prompt(f"line {number}")
            one, two = (written.calls(f"t{number}{name}", message_id=f"m{number}") for name in "ab")
            await library.page(written)
            written.result(f"t{number}b", parent=two)
            await library.page(written)
            written.result(f"t{number}a", parent=one)

        assert await library.messages(written) == await Library(library.home.config_dir.parent).messages(written)
        assert (await library.page(written)).total == 150


class TestForeignFiles:
    @pytest.fixture
    def canary(self, tmp_path: Path) -> Iterator[Written]:
        canary = Library(tmp_path / "elsewhere").new()
        canary.prompt("secret")
        yield canary

    async def test_what_a_link_leads_to_is_not_read(
        self, library: Library, written: Written, canary: Written, tmp_path: Path
    ) -> None:
        # faults: E5
        written.prompt("own")
        agents = written.path.with_suffix("") / "subagents"
        agents.mkdir(parents=True)
        (agents / "agent-linked.jsonl").symlink_to(canary.path)
        (agents / "agent-fifo.jsonl").unlink(missing_ok=True)
        os.mkfifo(agents / "agent-fifo.jsonl")
        (library.home.transcripts_dir / "-project" / canary.path.name).symlink_to(canary.path)
        shutil.copytree(canary.path.parent, tmp_path / "linked")
        (library.home.transcripts_dir / "-linked").symlink_to(tmp_path / "linked")

        assert await library.reader.page(canary.session_id, _ALL, offline=False) is None
        assert "linked" not in [agent.agent_id for agent in (await library.page(written)).agents]
        for agent in ("linked", "fifo"):
            with pytest.raises(NotFound):
                await library.page(written, agent=agent)

    @pytest.mark.parametrize("session_id", ["../../x", "", "x", "../elsewhere/claude/projects/-project/x", "\0"])
    async def test_what_is_no_id_finds_nothing(self, library: Library, canary: Written, session_id: str) -> None:
        # faults: E5
        assert await library.reader.page(session_id, _ALL, offline=False) is None
