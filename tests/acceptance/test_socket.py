"""The console's socket: many sessions over one connection, each read on from where it was cut."""

import asyncio
import json
from typing import Any

import pytest
from tests.acceptance.support.api import WITHIN_S, Api
from tests.acceptance.support.processes import until
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus

from glasshouse.testing.server_process import KEY, ServerProcess

GATE = "$ touch begun; until [ -e go ]; do sleep 0.05; done; echo went"


def _open(server: ServerProcess, **headers: str) -> connect:
    address = server.url.replace("http://", "ws://") + "/api/events/ws"
    return connect(address, additional_headers=headers or server.headers, proxy=None)


async def _say(socket: ClientConnection, op: str, **fields: Any) -> None:
    await socket.send(json.dumps({"op": op, **fields}))


async def _hear(socket: ClientConnection) -> dict[str, Any]:
    async with asyncio.timeout(WITHIN_S):
        frame: dict[str, Any] = json.loads(await socket.recv())
    return frame


async def _hear_task(socket: ClientConnection) -> dict[str, Any]:
    """The next state of a task; transcripts grow meanwhile."""
    while "task" not in (frame := await _hear(socket)):
        assert "session_changed" in frame, frame
    state: dict[str, Any] = frame["task"]
    return state


async def _to_the_end(socket: ClientConnection) -> list[dict[str, Any]]:
    frames = []
    while True:
        frames.append(await _hear(socket))
        if frames[-1].get("event", {}).get("type") == "complete":
            return frames


async def test_a_session_is_shown_live_with_what_is_being_typed(api: Api, server: ServerProcess) -> None:
    task = (await api.http.post("/api/task?deltas=true", json=api.body(GATE, wait_s=0))).json()
    async with _open(server) as socket:
        await _say(socket, "subscribe", session_id=task["session_id"])
        await until((api.directory / "begun").exists)
        (api.directory / "go").touch()
        said, *frames = await _to_the_end(socket)
    assert said["op"] == "subscribed"
    assert {frame["session_id"] for frame in frames} == {task["session_id"]}
    durable = [frame for frame in frames if "event" in frame]
    assert [frame["seq"] for frame in durable] == list(range(1, len(durable) + 1))
    assert [frame["event"] for frame in durable] == [event.data for event in await api.events(task["task_id"])]
    assert any(frame["live"]["type"] == "text_delta" for frame in frames if "live" in frame)


# faults: F1
async def test_a_cut_socket_goes_on_from_its_cursor(api: Api, server: ServerProcess) -> None:
    answer = await api.run("$ echo one")
    events = await api.events(answer["task_id"])
    for position in range(len(events)):
        async with _open(server) as socket:
            await _say(socket, "subscribe", session_id=answer["session_id"], after=position)
            said, *frames = await _to_the_end(socket)
        assert said == {"session_id": answer["session_id"], "op": "subscribed", "last": len(events)}
        assert [frame["seq"] for frame in frames] == list(range(position + 1, len(events) + 1))
        assert [frame["event"] for frame in frames] == [event.data for event in events[position:]]


async def test_several_sessions_share_a_socket(api: Api, server: ServerProcess) -> None:
    first, second = await api.run("first"), await api.run("second")
    async with _open(server) as socket:
        for answer in (first, second):
            await _say(socket, "subscribe", session_id=answer["session_id"])
        frames = await _to_the_end(socket) + await _to_the_end(socket)
    for answer in (first, second):
        own = [frame for frame in frames if frame["session_id"] == answer["session_id"] and "event" in frame]
        assert [frame["event"] for frame in own] == [event.data for event in await api.events(answer["task_id"])]


async def test_the_star_tells_what_state_every_task_is_in(api: Api, server: ServerProcess) -> None:
    running = await api.begin(GATE)
    await until((api.directory / "begun").exists)
    async with _open(server) as socket:
        await _say(socket, "subscribe", session_id="*")
        assert (await _hear(socket))["op"] == "subscribed"
        first = await _hear_task(socket)
        assert (first["task_id"], first["status"]) == (running["task_id"], "running")
        other = await api.run("hello")
        states: list[str] = []
        while states[-1:] != ["completed"]:
            task = await _hear_task(socket)
            # What it has cost so far is a change, too.
            if task["task_id"] == other["task_id"] and task["status"] not in states:
                states.append(task["status"])
        assert states == ["queued", "running", "completed"]
        (api.directory / "go").touch()
        while (task := await _hear_task(socket))["status"] != "completed":
            pass
        assert task["task_id"] == running["task_id"]


async def test_who_unsubscribes_hears_no_more(api: Api, server: ServerProcess) -> None:
    first = await api.run("first")
    async with _open(server) as socket:
        await _say(socket, "subscribe", session_id=first["session_id"])
        await _to_the_end(socket)
        await _say(socket, "unsubscribe", session_id=first["session_id"])
        await api.run("second", resume=first["session_id"])
        await _say(socket, "ping")
        assert await _hear(socket) == {"op": "pong"}


async def test_a_bad_frame_is_answered_and_the_socket_stays_open(server: ServerProcess) -> None:
    async with _open(server) as socket:
        for frame in ("", "{", "[]", '{"op": "fly"}', '{"op": "subscribe", "session_id": "../x"}', b"\xff\xfe"):
            await socket.send(frame)
            assert (await _hear(socket))["op"] == "error"
        await _say(socket, "ping")
        assert await _hear(socket) == {"op": "pong"}


# faults: F2
async def test_a_position_beyond_the_log_is_told(api: Api, server: ServerProcess) -> None:
    answer = await api.run("hello")
    async with _open(server) as socket:
        await _say(socket, "subscribe", session_id=answer["session_id"], after=10_000)
        assert (await _hear(socket))["code"] == "position_invalid"


# faults: A3 A4
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"X-No-Key": "at all"}, 401),
        ({"X-API-Key": "wrong"}, 401),
        ({"X-API-Key": KEY, "Origin": "https://evil.example"}, 403),
        ({"X-API-Key": KEY, "Origin": "null"}, 403),
        ({"X-API-Key": KEY, "Origin": "http://127.0.0.1.evil.example"}, 403),
        ({"X-API-Key": KEY, "Origin": "http://127.0.0.1:1"}, 403),
        ({"X-API-Key": KEY, "Host": "evil.example"}, 403),
    ],
)
async def test_the_socket_is_shut_to_strangers(server: ServerProcess, headers: dict[str, str], status: int) -> None:
    with pytest.raises(InvalidStatus) as refused:
        async with _open(server, **headers):
            pass
    assert refused.value.response.status_code == status


async def test_the_servers_own_page_may_open_the_socket(server: ServerProcess) -> None:
    async with _open(server, Origin=server.url, **{"X-API-Key": KEY}) as socket:
        await _say(socket, "ping")
        assert await _hear(socket) == {"op": "pong"}
