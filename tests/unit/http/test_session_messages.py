"""What was said, over HTTP: from transcripts, and from our own log where there is none."""

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from tests.support.served import Served
from tests.support.transcripts import Written, text_of

from glasshouse.claude_home import ClaudeHome
from glasshouse.contract.ids import new_id
from glasshouse.contract.message import Message, MessagePage
from glasshouse.core.ports import KnownSession
from glasshouse.testing.scripted_engine import Gate, calls, gets, listens, says, thinks, waits_at

LONG = "字" * 100_000
ENGLISH = {"Accept-Language": "en"}


@pytest.fixture
async def written(served: Served) -> AsyncIterator[Written]:
    """A session that was held in a terminal."""
    written = Written(ClaudeHome.at(served.bench.root / "claude"), served.bench.work)
    served.bench.sessions.add(KnownSession(written.session_id, str(served.bench.work), offline=False))
    yield written


async def pages(client: httpx.AsyncClient, session_id: str, **query: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    while True:
        response = await client.get(f"/api/sessions/{session_id}/messages", params=query)
        assert response.status_code == 200, response.text
        page = response.json()
        MessagePage.model_validate(page)
        found += page["messages"]
        if page["next_cursor"] is None:
            return found
        query["cursor"] = page["next_cursor"]


def is_error(response: httpx.Response, status: int, code: str) -> bool:
    return (response.status_code, response.json()["error"]) == (status, code)


class TestFromATranscript:
    async def test_a_session_of_a_terminal_is_read_by_page(self, client: httpx.AsyncClient, written: Written) -> None:
        for number in range(5):
            written.prompt(f"line {number}")

        assert [text_of(message) for message in await pages(client, written.session_id, limit=2)] == [
            f"line {number}" for number in range(5)
        ]
        newest = await pages(client, written.session_id.upper(), limit=3, order="desc")
        assert [message["round"] for message in newest] == [5, 4, 3, 2, 1]

    async def test_one_message_is_whole(self, client: httpx.AsyncClient, written: Written) -> None:
        uuid = written.prompt(LONG)

        response = await client.get(f"/api/sessions/{written.session_id}/messages/{uuid}")

        assert Message.model_validate(response.json()).content == [{"type": "text", "text": LONG}]

    @pytest.mark.parametrize(
        ("query", "status", "code"),
        [
            ("limit=0", 422, "invalid_request"),
            ("limit=201", 422, "invalid_request"),
            ("order=random", 422, "invalid_request"),
            ("cursor=" + "x" * 200, 422, "invalid_request"),
            ("cursor=x", 400, "position_invalid"),
            ("cursor=log-1", 400, "position_invalid"),
            ("cursor=0-0", 410, "position_gone"),
            ("cursor=ffffffffffffffffffffffff-0", 410, "position_gone"),
            ("agent=nobody", 404, "not_found"),
            ("agent=..%2f..%2fx", 404, "not_found"),
        ],
    )
    async def test_what_cannot_be_asked_is_refused(
        self, client: httpx.AsyncClient, written: Written, query: str, status: int, code: str
    ) -> None:
        written.prompt()

        assert is_error(await client.get(f"/api/sessions/{written.session_id}/messages?{query}"), status, code)

    @pytest.mark.parametrize("session_id", [new_id(), "x", "..", "%2e%2e%2f%2e%2e%2fx", "%00"])
    async def test_what_is_no_session_is_not_found(self, client: httpx.AsyncClient, session_id: str) -> None:
        # faults: B2 E5
        for path in ("/messages", f"/messages/{new_id()}", "/export"):
            assert (await client.get(f"/api/sessions/{session_id}{path}")).status_code == 404
        response = await client.patch(f"/api/sessions/{session_id}", json={"title": "x"})
        assert response.status_code == 404

    async def test_an_unknown_message_and_an_unknown_form_are_refused(
        self, client: httpx.AsyncClient, written: Written
    ) -> None:
        written.prompt()
        session = f"/api/sessions/{written.session_id}"

        assert is_error(await client.get(f"{session}/messages/{new_id()}"), 404, "not_found")
        assert is_error(await client.get(f"{session}/export?format=html"), 422, "invalid_request")

    async def test_a_session_of_another_directory_is_hidden(
        self, served: Served, client: httpx.AsyncClient, written: Written
    ) -> None:
        # faults: E5
        written.prompt("secret")
        elsewhere = KnownSession(written.session_id, str(served.bench.root / "elsewhere"), offline=False)
        served.bench.sessions.add(elsewhere)

        for path in ("/messages", "/export", "/export?format=json"):
            response = await client.get(f"/api/sessions/{written.session_id}{path}")
            assert is_error(response, 404, "session_not_found") and "secret" not in response.text


class TestFromTheLog:
    async def test_a_session_without_a_transcript_is_read_from_what_its_tasks_said(
        self, served: Served, client: httpx.AsyncClient
    ) -> None:
        served.bench.engine.script = (
            thinks("hm"),
            calls("Read", "t1", {"file_path": "a"}),
            gets("t1", "read"),
            says("done"),
        )
        first = await served.bench.do("one")
        await served.bench.do("two", resume=first.session_id)

        found = await pages(client, first.session_id, limit=3)

        assert [(message["role"], text_of(message), message["round"]) for message in found[:5]] == [
            ("user", "one", 1),
            ("assistant", "hm", 1),
            ("assistant", "call t1", 1),
            ("user", "result t1", 1),
            ("assistant", "done", 1),
        ]
        assert [message["round"] for message in found[5:]] == [2] * 5
        assert [message["parentUuid"] for message in found[1:]] == [message["uuid"] for message in found[:-1]]
        assert await pages(client, first.session_id, limit=4, order="desc") == found[::-1]
        assert is_error(
            await client.get(f"/api/sessions/{first.session_id}/messages?cursor=log-9999"), 410, "position_gone"
        )

    async def test_what_was_said_to_a_task_stands_where_its_agent_took_it_in(
        self, served: Served, client: httpx.AsyncClient
    ) -> None:
        gate = Gate()
        served.bench.engine.script = (says("working"), waits_at(gate), listens(2), says("done"))
        task = await served.bench.admit("one")
        await gate.reached.wait()
        path = f"/api/task/{task.task_id}/messages"
        for content, mode in (("mind this", "steer"), ("and then", "queue")):
            assert (await client.post(path, json={"content": content, "mode": mode})).status_code == 202
        gate.open()
        await served.bench.ended(task)

        found = await pages(client, task.session_id)

        assert [(message["role"], text_of(message), message["round"]) for message in found] == [
            ("user", "one", 1),
            ("assistant", "working", 1),
            ("user", "mind this", 1),
            ("assistant", "mind this", 1),
            ("user", "and then", 2),
            ("assistant", "and then", 2),
            ("assistant", "done", 2),
        ]

    async def test_what_was_cut_from_its_event_is_whole_by_itself(
        self, served: Served, client: httpx.AsyncClient
    ) -> None:
        served.bench.engine.script = (calls("Write", "t1", {"content": LONG}), gets("t1", LONG), says(LONG))
        task = await served.bench.do("x")

        for message in (await pages(client, task.session_id))[1:]:
            (pointer,) = message["truncated"]
            whole = await client.get(f"/api/sessions/{task.session_id}/messages/{message['uuid']}")
            value: Any = whole.json()
            for part in pointer.split("/")[1:]:
                value = value[int(part) if isinstance(value, list) else part]
            assert value == LONG and "truncated" not in whole.json()
        exported = await client.get(f"/api/sessions/{task.session_id}/export?format=json")
        assert exported.text.count(LONG) == 3

    async def test_a_transcript_that_comes_later_takes_its_place(
        self, served: Served, client: httpx.AsyncClient
    ) -> None:
        served.bench.engine.script = (says("of the log"),)
        task = await served.bench.do("x")
        page = (await client.get(f"/api/sessions/{task.session_id}/messages?limit=1")).json()
        written = Written(ClaudeHome.at(served.bench.root / "claude"), served.bench.work, task.session_id)
        written.prompt("of the transcript")

        assert [text_of(message) for message in await pages(client, task.session_id)] == ["of the transcript"]
        stale = await client.get(f"/api/sessions/{task.session_id}/messages?cursor={page['next_cursor']}")
        assert stale.status_code == 400


class TestExport:
    async def test_markdown_tells_rounds_and_lets_nothing_out_of_its_place(
        self, client: httpx.AsyncClient, written: Written
    ) -> None:
        # faults: B6 C6
        written.prompt("# not a heading\n</details>")
        written.calls("t1", "Bash", {"command": "echo '</summary><script>'"})
        written.result("t1", "```\n````\n<script>alert(1)</script>")
        written.prompt("second")

        response = await client.get(f"/api/sessions/{written.session_id}/export", headers=ENGLISH)

        text = response.text
        assert text.index("## Round 1") < text.index("> # not a heading\n> </details>") < text.index("## Round 2")
        assert "&lt;/summary&gt;&lt;script&gt;" in text
        assert "`````\n```\n````\n<script>alert(1)</script>\n`````" in text
        assert response.headers["content-type"] == "text/markdown; charset=utf-8"
        assert response.headers["content-disposition"] == f'attachment; filename="session-{written.session_id}.md"'
        assert response.headers["x-content-type-options"] == "nosniff"
        assert "sandbox" in response.headers["content-security-policy"]

    async def test_markdown_speaks_the_readers_language(self, client: httpx.AsyncClient, written: Written) -> None:
        written.prompt("x")

        assert "## 第 1 轮" in (await client.get(f"/api/sessions/{written.session_id}/export")).text

    async def test_json_is_whole_and_valid_whatever_is_in_the_file(
        self, client: httpx.AsyncClient, written: Written
    ) -> None:
        # faults: E1 E2 E3
        written.prompt("first " + LONG * 12)
        written.raw(b"{ damaged\n")
        uuid = new_id()
        written.raw(
            f'{{"type":"assistant","uuid":"{uuid}","parentUuid":"{written.last}","message":'.encode()
            + rb'{"content":[{"type":"text","text":"\ud800 \u0000"}]}}'
            + b"\n"
        )

        body = json.loads((await client.get(f"/api/sessions/{written.session_id}/export?format=json")).content)

        assert [text_of(message) for message in body["messages"]] == ["first " + LONG * 12, "\ufffd \x00"]


class TestLabels:
    @pytest.mark.parametrize(
        "body",
        [
            {},
            {"title": None},
            {"title": ""},
            {"title": "  "},
            {"title": "x" * 201},
            {"title": "a\u0007b"},
            {"title": 3},
            {"tags": "a"},
            {"tags": ["a,b"]},
            {"tags": [""]},
            {"tags": ["\u200b"]},
            {"tags": ["x"] * 21},
            {"tags": ["x" * 51]},
            {"name": "x"},
        ],
    )
    async def test_what_is_no_label_is_refused_and_nothing_written(
        self, client: httpx.AsyncClient, written: Written, body: dict[str, Any]
    ) -> None:
        written.prompt()
        before = written.path.read_bytes()

        assert is_error(await client.patch(f"/api/sessions/{written.session_id}", json=body), 422, "invalid_request")
        assert written.path.read_bytes() == before

    async def test_a_label_stands_on_a_line_of_its_own_behind_an_unfinished_one(
        self, client: httpx.AsyncClient, written: Written
    ) -> None:
        written.prompt()
        written.raw(b'{"parentUuid":"x"')

        response = await client.patch(
            f"/api/sessions/{written.session_id}", json={"title": "标题 👩\u200d💻", "tags": []}
        )

        assert response.status_code == 200
        *_, title, tag = written.path.read_bytes().splitlines()
        assert json.loads(title)["customTitle"] == "标题 👩\u200d💻"
        assert json.loads(tag)["tag"] == ""

    async def test_it_is_refused_while_a_task_is_at_the_session(
        self, served: Served, client: httpx.AsyncClient, written: Written
    ) -> None:
        written.prompt()
        gate = Gate()
        served.bench.engine.script = (waits_at(gate),)
        task = await served.bench.admit("x", resume=written.session_id)
        before = written.path.read_bytes()

        refused = await client.patch(f"/api/sessions/{written.session_id}", json={"title": "x"})
        assert is_error(refused, 409, "session_busy") and written.path.read_bytes() == before

        gate.open()
        await served.bench.ended(task)
        assert (await client.patch(f"/api/sessions/{written.session_id}", json={"title": "x"})).status_code == 200

    async def test_a_session_without_a_transcript_has_none(self, served: Served, client: httpx.AsyncClient) -> None:
        task = await served.bench.do("x")

        response = await client.patch(f"/api/sessions/{task.session_id}", json={"title": "x"})

        assert is_error(response, 404, "session_not_found")
