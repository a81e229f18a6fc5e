"""A task over Server-Sent Events, and readers that come back."""

import re

import httpx
import pytest
from tests.acceptance.support.api import Api, Event
from tests.acceptance.support.obedient import steps

LIST_FILES = "List the files in this directory"


async def test_a_task_is_told_event_by_event(demo: Api) -> None:
    (demo.directory / "haystack.txt").write_text("a needle")
    async with demo.stream(LIST_FILES) as stream:
        assert stream.response.headers["content-type"].startswith("text/event-stream")
        events = await stream.rest()
    accepted, reported = [event for event in events if event.type == "info"][:2]
    assert events[0] is accepted and events[1] is reported
    assert accepted.metadata["prompt"] == LIST_FILES
    assert accepted.metadata["offline"] is True
    assert accepted.metadata["working_dir"] == str(demo.directory)
    assert accepted.metadata["tools"] == ["Bash"]
    assert accepted.metadata["task_id"] == stream.task_id
    assert reported.metadata["model"]
    types = [event.type for event in events]
    assert types.index("tool_use") < types.index("tool_result") < types.index("complete")
    assert types.count("complete") == 1 and types[-1] == "complete"
    assert "haystack.txt" in [event for event in events if event.type == "text"][-1].data["content"]
    assert events[-1].metadata["status"] == "completed"
    assert events[-1].metadata["is_error"] is False
    assert events[-1].metadata["tools_used"] == ["Bash"]


async def test_every_event_says_whose_it_is_when_it_was_and_its_number(demo: Api) -> None:
    async with demo.stream(LIST_FILES) as stream:
        events = await stream.rest()
    numbers = [event.id for event in events]
    assert numbers == list(range(1, len(events) + 1))
    assert {event.data["task_id"] for event in events} == {stream.task_id}
    assert len({event.data["session_id"] for event in events}) == 1
    for event in events:
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", event.data["timestamp"])


# faults: F1
async def test_a_reader_that_was_cut_at_any_position_gets_exactly_the_rest(api: Api) -> None:
    async with api.stream(steps("say one", "$ echo two")) as stream:
        events = await stream.rest()
    for position in range(len(events)):
        assert await api.events(stream.task_id, after=position) == events[position:]
        last = {"Last-Event-ID": str(position)}
        async with api.follow(stream.task_id, headers=last) as again:
            assert await again.rest() == events[position:]
    over = await api.http.get(f"/api/task/{stream.task_id}/stream", headers={"Last-Event-ID": str(len(events))})
    assert (over.status_code, over.content) == (204, b"")


async def test_a_reader_joins_a_running_task_in_the_middle(api: Api) -> None:
    async with api.stream(steps("$ until [ -e go ]; do sleep 0.05; done")) as stream:
        called = await stream.first("tool_use")
        async with api.follow(stream.task_id, after=called.id) as second:
            (api.directory / "go").touch()
            late = await second.rest()
        events = await stream.rest()
    assert late == [event for event in events if event.id is not None and event.id > (called.id or 0)]


async def test_the_header_wins_over_the_query(api: Api) -> None:
    async with api.stream("hello") as stream:
        events = await stream.rest()
    async with api.follow(stream.task_id, after=1, headers={"Last-Event-ID": "2"}) as again:
        assert await again.rest() == events[2:]


# faults: F2
@pytest.mark.parametrize("position", ["-1", "99999", "x", "1e30", "1" * 40, "0x1", "１"])
async def test_a_position_that_cannot_be_is_refused(api: Api, position: str) -> None:
    task = await api.begin("hello")
    await api.ended(task["task_id"])
    path = f"/api/task/{task['task_id']}/stream"
    for response in (
        await api.http.get(path, params={"after": position}),
        await api.http.get(path, headers={b"Last-Event-ID": position.encode()}),
    ):
        assert (response.status_code, response.json()["error"]) == (400, "position_invalid")


async def test_a_stream_holds_the_events_of_its_own_task_only(api: Api) -> None:
    first = await api.run("first")
    second = await api.run("second", resume=first["session_id"])
    events = await api.events(second["task_id"])
    assert {event.data["task_id"] for event in events} == {second["task_id"]}
    assert (events[0].id or 0) > 1
    assert await api.events(second["task_id"], after=1) == events


async def test_deltas_come_without_a_number_and_add_up_to_the_whole(api: Api) -> None:
    async with api.stream("a sentence that is long enough to come in pieces", deltas=True) as stream:
        events = await stream.rest()
    whole = _only(events, "text").data["content"]
    pieces = [event for event in events if event.type == "text_delta"]
    assert len(pieces) > 1 and all(event.id is None for event in pieces)
    assert "".join(event.data["content"] for event in pieces) == whole
    assert events.index(pieces[-1]) < events.index(_only(events, "text"))
    replayed = await api.events(stream.task_id)
    assert replayed == [event for event in events if event.id is not None]


async def test_a_reader_that_did_not_ask_for_deltas_gets_none(api: Api) -> None:
    async with api.stream(steps("$ until [ -e go ]; do sleep 0.05; done"), deltas=True) as stream:
        await stream.first("tool_use")
        async with api.follow(stream.task_id) as plain:
            (api.directory / "go").touch()
            assert all(event.id is not None for event in await plain.rest())
        assert any(event.id is None for event in await stream.rest())


async def test_an_unknown_task_has_no_stream(api: Api) -> None:
    for task_id in ("00000000-0000-4000-8000-000000000000", "no-uuid", "%2e%2e"):
        for response in (
            await api.http.get(f"/api/task/{task_id}/stream"),
            await api.http.get(f"/api/task/{task_id}"),
            await api.http.delete(f"/api/task/{task_id}"),
        ):
            _is_error(response, 404, "task_not_found")


def _only(events: list[Event], kind: str) -> Event:
    (event,) = [event for event in events if event.type == kind]
    return event


def _is_error(response: httpx.Response, status: int, code: str) -> None:
    assert (response.status_code, response.json()["error"]) == (status, code)
