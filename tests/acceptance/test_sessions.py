"""Sessions to look through, on a real server: those of the real Claude Code, and those that a terminal writes."""

import asyncio
import json
from pathlib import Path
from typing import Any
from uuid import uuid4

from tests.acceptance.conftest import ApiOf, StartServer
from tests.acceptance.support.api import WITHIN_S, Api
from tests.acceptance.support.processes import until
from tests.acceptance.test_socket import _hear, _open, _say
from tests.support.terminal import Transcript

from glasshouse.testing.server_process import ServerProcess

GATE = "$ touch begun; until [ -e go ]; do sleep 0.05; done; echo went"


def terminal(server: ServerProcess, cwd: Path, session_id: str = "") -> Transcript:
    """A session that something else than this server writes."""
    return Transcript(server.home / "claude" / "projects", str(cwd), session_id)


async def page(api: Api, **query: Any) -> dict[str, Any]:
    answer = await api.http.get("/api/sessions", params={"project": str(api.directory), **query})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def row(api: Api, session_id: str) -> dict[str, Any]:
    answer = await api.http.get(f"/api/sessions/{session_id}")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def messages_in(api: Api, session_id: str) -> int:
    (path,) = (api.directory.parents[1] / "claude" / "projects").glob(f"*/{session_id}.jsonl")
    lines = map(json.loads, path.read_text().splitlines())
    return sum(line["type"] in ("user", "assistant") and not line["isSidechain"] for line in lines)


async def test_a_task_is_a_session_in_its_project(api: Api) -> None:
    done = await api.run("$ echo hello > made.txt")
    (session,) = (await page(api))["sessions"]
    assert session == await row(api, done["session_id"])
    assert session["title"] == "$ echo hello > made.txt"
    assert (session["status"], session["task_id"]) == ("completed", done["task_id"])
    assert (session["project_path"], session["tools_used"]) == (str(api.directory), ["Bash"])
    assert session["has_transcript"] and session["message_count"] == messages_in(api, done["session_id"])
    assert session["timestamp"] <= session["last_active"]
    projects = (await api.http.get("/api/projects")).json()["projects"]
    (project,) = [one for one in projects if one["path"] == str(api.directory)]
    assert project == {"path": str(api.directory), "session_count": 1, "last_active": session["last_active"]}


async def test_a_session_is_in_lists_from_its_admission_on_with_the_state_of_its_task(api: Api) -> None:
    task = (await api.http.post("/api/task", json=api.body(GATE, wait_s=0))).json()
    (session,) = (await page(api))["sessions"]
    assert (session["id"], session["title"]) == (task["session_id"], GATE[:50].rstrip())
    assert session["status"] in ("queued", "running")
    await until((api.directory / "begun").exists)
    (session,) = (await page(api))["sessions"]
    assert (session["status"], session["task_id"], session["has_transcript"]) == ("running", task["task_id"], True)
    (api.directory / "go").touch()
    await api.ended(task["task_id"])
    (session,) = (await page(api))["sessions"]
    assert session["status"] == "completed"


async def test_a_session_that_a_terminal_writes_is_there_with_its_next_line(api: Api, server: ServerProcess) -> None:
    transcript = terminal(server, api.directory).prompt("typed in a terminal")
    seen = await row(api, transcript.id)
    assert (seen["title"], seen["message_count"], seen["status"]) == ("typed in a terminal", 1, None)
    for count in range(2, 6):
        transcript.says("more")
        assert (await row(api, transcript.id))["message_count"] == count


async def test_growth_is_told_to_who_listens(api: Api, server: ServerProcess) -> None:
    async with _open(server, **server.headers) as socket:
        await _say(socket, "subscribe", session_id="*")
        assert (await _hear(socket))["op"] == "subscribed"
        transcript = terminal(server, api.directory)
        for count, write in enumerate((transcript.prompt, transcript.says), 1):
            write("hello")
            while True:
                change = (await _hear(socket)).get("session_changed", {})
                if change.get("id") == transcript.id:
                    break
            assert (change["project_path"], change["message_count"]) == (str(api.directory), count)
        transcript.path.unlink()
        while (change := (await _hear(socket)).get("session_changed", {})).get("id") != transcript.id:
            pass
        assert (change["gone"], change["project_path"]) == (True, str(api.directory))
    assert (await api.http.get(f"/api/sessions/{transcript.id}")).status_code == 404


async def test_pages_follow_each_other_without_a_gap(api: Api, server: ServerProcess) -> None:
    written = [terminal(server, api.directory).prompt(f"number {n}", timestamp=_at(n)).id for n in range(7)]
    found: list[str] = []
    cursor = None
    while True:
        answer = await page(api, limit=3, **({"cursor": cursor} if cursor else {}))
        found += [session["id"] for session in answer["sessions"]]
        if (cursor := answer["next_cursor"]) is None:
            break
    assert found == written[::-1]
    assert [one["id"] for one in (await page(api, since="2026-01-06"))["sessions"]] == written[:-3:-1]
    assert [one["id"] for one in (await page(api, until="2026-01-01"))["sessions"]] == written[:1]


async def test_a_search_finds_what_was_said(api: Api, server: ServerProcess) -> None:
    one = terminal(server, api.directory).prompt("first").says("the heliotrope blooms, 登录 fails")
    terminal(server, api.directory).prompt("second").says("nothing of it")
    for words in ("heliotrope", "登录", "录", "blooms 登录"):
        answer = await page(api, q=words)
        (session,) = answer["sessions"]
        assert session["id"] == one.id
        snippet = session["snippet"]
        start, end = snippet["matches"][0]
        assert snippet["text"][start:end] in words.split()
    assert (await page(api, q="first"))["sessions"][0]["snippet"] is None
    assert (await page(api, q="no such words"))["sessions"] == []


async def test_lists_are_bounded_by_tool_and_cost(api: Api, server: ServerProcess) -> None:
    reads = terminal(server, api.directory).prompt("a").calls("Read").cost(0.5)
    ours = await api.run("$ true")
    assert [one["id"] for one in (await page(api, tool="Read"))["sessions"]] == [reads.id]
    assert [one["id"] for one in (await page(api, tool="Bash"))["sessions"]] == [ours["session_id"]]
    assert [one["id"] for one in (await page(api, min_cost=0.4))["sessions"]] == [reads.id]
    assert {one["id"] for one in (await page(api, min_cost=0))["sessions"]} == {reads.id, ours["session_id"]}


async def test_a_wrong_question_is_refused(api: Api) -> None:
    for query in (
        "limit=0",
        "limit=201",
        "cursor=x",
        "since=yesterday",
        "min_cost=-1",
        "min_cost=nan",
        "q=" + "x" * 201,
    ):
        answer = await api.http.get(f"/api/sessions?{query}")
        assert (answer.status_code, answer.json()["error"]) == (422, "invalid_request"), query
    for session_id in (str(uuid4()), "..%2F..%2Fetc%2Fpasswd", "x"):
        answer = await api.http.get(f"/api/sessions/{session_id}")
        assert (answer.status_code, answer.json()["error"]) in ((404, "session_not_found"), (404, "not_found"))


# faults: E5
async def test_sessions_outside_the_allowed_directories_are_in_no_list_and_no_count(
    api: Api, server: ServerProcess, tmp_path: Path
) -> None:
    hidden = terminal(server, tmp_path).prompt("hidden heliotrope-7")
    assert (await api.http.get(f"/api/sessions/{hidden.id}")).status_code == 404
    everything = (await api.http.get("/api/sessions", params={"q": "heliotrope-7"})).json()
    assert everything["sessions"] == []
    assert (await page(api, project=str(tmp_path)))["sessions"] == []
    projects = (await api.http.get("/api/projects")).json()["projects"]
    assert str(tmp_path) not in {one["path"] for one in projects}
    # The same in an allowed directory is found.
    terminal(server, api.directory).prompt("seen heliotrope-7")
    assert len((await page(api, q="heliotrope-7"))["sessions"]) == 1


# faults: E1 E2
async def test_hostile_lines_are_passed_over_and_said(api: Api, server: ServerProcess) -> None:
    transcript = terminal(server, api.directory).prompt("lone \udcff".encode("utf-8", "replace").decode())
    transcript.raw(b'{"type":"user","message":{"content":"\\ud800 surrogate"},"gitBranch":"\\udfff"}\n').raw(b"\xff\n")
    answer = await api.http.get(f"/api/sessions/{transcript.id}")
    session = json.loads(answer.content.decode("utf-8"))
    assert (session["message_count"], session["damaged_lines"], session["git_branch"]) == (2, 1, "\ufffd")


async def test_after_a_restart_all_is_there_and_the_index_can_be_thrown_away(
    start_server: StartServer, api_of: ApiOf
) -> None:
    server = start_server()
    done = await api_of(server).run("$ echo kept")
    foreign = terminal(server, server.workspace).prompt("foreign")
    server.kill()
    before = {path.name for path in server.data.iterdir()}
    assert "sessions.db" in before
    for path in server.data.glob("sessions.db*"):
        path.unlink()
    api = api_of(server.start())
    async with asyncio.timeout(WITHIN_S):
        found = (await page(api))["sessions"]
    assert {session["id"] for session in found} == {done["session_id"], foreign.id}


async def test_the_cost_is_our_logs_where_the_transcript_has_none(api: Api, server: ServerProcess) -> None:
    done = await api.run("$ true")
    (path,) = (server.home / "claude" / "projects").glob(f"*/{done['session_id']}.jsonl")
    lines = [line for line in path.read_bytes().splitlines(keepends=True) if b'"cost-state"' not in line]
    beside = path.with_suffix(".new")
    beside.write_bytes(b"".join(lines))
    beside.replace(path)
    assert (await row(api, done["session_id"]))["cost_usd"] == done["cost_usd"]


def _at(number: int) -> str:
    return f"2026-01-{number + 1:02d}T10:00:00.000Z"
