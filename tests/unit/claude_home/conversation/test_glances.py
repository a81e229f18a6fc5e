"""Lines that are told by a glance: it comes to the same as parsing them, and what it cannot see is found out."""

import json
import os
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from tests.support.transcripts import Library, Written, text_of

from glasshouse.claude_home.conversation.scan import Scan


class Compact:
    """Lines in the order and the form of Claude Code's own."""

    def __init__(self, written: Written) -> None:
        self._written = written
        self._last: str | None = None
        self._count = 0

    def line(self, *, behind: dict[str, Any] | None = None, **fields: Any) -> bytes:
        self._count += 1
        uuid = str(UUID(int=self._count))
        last, self._last = self._last, uuid
        line = {
            "parentUuid": last,
            "isSidechain": False,
            **fields,
            "uuid": uuid,
            "timestamp": "2026-01-01T00:00:00.000Z",
            **(behind or {}),
            "userType": "external",
            "cwd": str(self._written.working_dir),
            "gitBranch": "main",
        }
        return json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode()

    def user(self, content: Any, *, behind: dict[str, Any] | None = None, **more: Any) -> bytes:
        return self.line(type="user", message={"role": "user", "content": content}, behind=behind, **more)

    def says(self, *blocks: dict[str, Any], **more: Any) -> bytes:
        head = {"id": f"msg_{self._count}", "type": "message", "role": "assistant", "model": "m"}
        return self.line(message={**head, "content": [*blocks], "stop_reason": "tool_use"}, type="assistant", **more)

    def result(self, *calls: str, text: str = "done", **more: Any) -> bytes:
        blocks = [{"tool_use_id": call, "type": "tool_result", "content": text} for call in calls]
        return self.user(blocks, behind={"toolUseResult": {"stdout": text, "uuid": "inside"}}, **more)


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(name: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": "Bash", "input": {"command": 'echo {"parentUuid":'}}


def put(written: Written, *lines: bytes) -> None:
    written.raw(b"".join(line + b"\n" for line in lines))


@pytest.fixture
def compact(written: Written) -> Compact:
    return Compact(written)


def scanned(path: Path, *, is_strict: bool) -> tuple[object, ...]:
    with path.open("rb") as file:
        found = os.fstat(file.fileno())
        scan = Scan(found.st_dev, found.st_ino, is_strict=is_strict)
        scan.grow(file, found)
    known = scan.skeleton
    columns = (
        known.offset,
        known.length,
        known.flags,
        known.parent,
        known.agent,
        known.uuid,
        known.message,
        known.call,
    )
    return (
        *map(list, columns),
        known.more_calls,
        known.agents,
        known.damaged,
        known.first_damaged,
        scan.end,
        scan.lines,
    )


def test_a_glance_comes_to_what_parsing_does(written: Written, compact: Compact) -> None:
    beside = b'{"type":"queue-operation","uuid":"no link","content":"x"}'
    put(
        written,
        compact.user("hello", behind={"permissionMode": "default"}),
        compact.line(attachment={"type": "date", "of": "today"}, type="attachment"),
        compact.line(attachment={"type": "queued_command", "prompt": "and this"}, type="attachment"),
        beside,
        compact.says({"type": "thinking", "thinking": "hm", "signature": "x"}),
        *(compact.says(text(words)) for words in ("look", "字", "\u3000", " \n", "", "\\", '"q"', "é")),
        compact.says(text("two"), call("t0"), call("t1")),
        compact.says(text("served"), {"type": "server_tool_use", "id": "s1", "name": "n", "input": {}}),
        *(compact.says(call(f"t{number}")) for number in (2, 3)),
        *(compact.result(f"t{number}", text="x" * number * 90_000) for number in (2, 3)),
        compact.result("t0", "t1"),
        compact.result("t4", isMeta=True),
        compact.says(text("not said"), isMeta=True),
        compact.says(text("failed"), isApiErrorMessage=True),
        compact.user("aside", agentId="a1").replace(b'"isSidechain":false', b'"isSidechain":true'),
        compact.says(text("of a team"), behind={"teamName": "t"}),
        b'{"type":"user","uuid":"first the kind","parentUuid":null,"message":{"content":"old"}}',
        b"",
        compact.says(text("end")),
    )

    assert scanned(written.path, is_strict=False) == scanned(written.path, is_strict=True)


@pytest.mark.parametrize("cut", [20, 60, 200, 300, -120, -40])
@pytest.mark.parametrize("kind", ["result", "said"])
def test_a_stub_before_a_record_is_seen_wherever_it_was_cut(
    written: Written, compact: Compact, cut: int, kind: str
) -> None:
    # faults: E1
    first = compact.user("hello", behind={"permissionMode": "default"})
    stub = compact.result("t1", text="y" * 300) if kind == "result" else compact.says(text("y" * 300))
    put(
        written,
        first,
        stub[:cut] + compact.says(text("whole")),
        stub[:cut] + compact.result("t2"),
        compact.says(text("e")),
    )

    found = scanned(written.path, is_strict=False)

    assert found == scanned(written.path, is_strict=True)
    assert found[-4] == 2


@pytest.mark.parametrize("newest_first", [True, False])
async def test_damage_that_no_glance_sees_is_found_when_it_would_be_shown(
    library: Library, written: Written, compact: Compact, newest_first: bool
) -> None:
    # faults: E1 E2
    damaged = compact.result("t1", text="inside").replace(b'"stdout":', b'"stdout"\x01')
    first = compact.user("hello", behind={"permissionMode": "default"})
    put(written, first, damaged, compact.says(text("after")))

    page = await library.page(written, newest_first=newest_first)

    shown = [text_of(json.loads(body)) for body in page.bodies]
    assert sorted(shown) == ["after", "hello"] and page.total == 2
    assert page.damaged is not None and (page.damaged.lines, page.damaged.first_line) == (1, 2)
    assert (await library.page(written)).total == 2
