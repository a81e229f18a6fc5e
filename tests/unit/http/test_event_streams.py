"""Server-Sent Events: their exact bytes, where a stream begins again, and what a closed one means."""

import asyncio
import json
from typing import Any

import httpx
import pytest
from tests.support.served import Served, event_in

from glasshouse.contract.ids import new_id
from glasshouse.contract.task import TaskStatus
from glasshouse.core.ports import Bounds, TaskRecord
from glasshouse.entrypoints.http import event_stream
from glasshouse.testing.scripted_engine import Gate, says, types, waits_at


async def held(served: Served, *before: Any) -> tuple[TaskRecord, Gate]:
    """A task that has done so much and waits."""
    gate = Gate()
    served.bench.engine.script = (*before, waits_at(gate))
    task = await served.bench.admit()
    await gate.reached.wait()
    return task, gate


async def _bounds_of_a_log_that_was_cleared(session_id: str) -> Bounds:
    return Bounds(first=3, last=2)


class TestTheBytes:
    async def test_each_event_is_one_write_of_id_data_and_an_empty_line(self, served: Served) -> None:
        served.bench.engine.script = (says("你好\n\nevent: x\r\ndata: y \u2028"),)
        stream = await served.stream("POST", "/api/task/stream", {"prompt": "x"})

        writes = await stream.rest()

        assert len(writes) == 3
        for number, write in enumerate(writes, 1):
            head, data, *empty = write.split(b"\n")
            assert head == b"id: %d" % number
            assert data.startswith(b'data: {"')
            assert empty == [b"", b""]
            assert b"\r" not in write
        assert json.loads(writes[1].split(b"\n")[1][6:])["content"] == "你好\n\nevent: x\r\ndata: y \u2028"

    async def test_the_answer_says_whose_it_is_and_that_nobody_may_hold_it_back(self, served: Served) -> None:
        stream = await served.stream("POST", "/api/task/stream", {"prompt": "x"})
        [first, *_] = await stream.events()

        assert stream.status == 200
        assert stream.headers["content-type"].startswith("text/event-stream")
        assert stream.headers["x-task-id"] == first["task_id"]
        assert stream.headers["x-accel-buffering"] == "no"
        assert "no-store" in stream.headers["cache-control"]
        assert "no-transform" in stream.headers["cache-control"]
        assert "content-length" not in stream.headers

    async def test_it_ends_with_exactly_one_complete(self, served: Served) -> None:
        served.bench.engine.script = (says("a", "b"),)
        stream = await served.stream("POST", "/api/task/stream", {"prompt": "x"})

        assert [event["type"] for event in await stream.events()] == ["info", "text", "text", "complete"]

    async def test_every_event_names_its_task_and_session(self, served: Served) -> None:
        stream = await served.stream("POST", "/api/task/stream", {"prompt": "x"})

        events = await stream.events()
        assert len({(event["session_id"], event["task_id"]) for event in events}) == 1

    # faults: F4
    async def test_while_nothing_happens_a_comment_keeps_it_open(
        self, served: Served, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(event_stream, "HEARTBEAT_S", 0.01)
        task, gate = await held(served)
        stream = await served.stream("GET", f"/api/task/{task.task_id}/stream")
        await stream.write()

        beats = [await stream.write() for _ in range(3)]
        gate.open()
        writes = await stream.rest()

        assert set(beats) == {b": keep-alive\n\n"}
        assert event_in(writes[-1])["type"] == "complete"

    def test_the_heart_beats_every_15_seconds(self) -> None:
        assert event_stream.HEARTBEAT_S == 15


# faults: F4
class TestAReaderThatTakesNothing:
    async def test_it_is_let_go_and_the_task_goes_on(self, served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(event_stream, "HEARTBEAT_S", 0.005)
        monkeypatch.setattr(event_stream, "_STUCK_AFTER_S", 0.01)
        task, gate = await held(served, says(*(str(n) for n in range(50))))
        stream = served.call("GET", f"/api/task/{task.task_id}/stream")
        stream.stop_reading_after(3)

        await stream.over()

        gate.open()
        assert (await served.bench.ended(task)).status is TaskStatus.COMPLETED


class TestAttaching:
    async def test_the_same_task_id_streams_the_first_task_from_its_first_event(self, served: Served) -> None:
        body = {"prompt": "x", "task_id": new_id()}
        streams = [await served.stream("POST", "/api/task/stream", body) for _ in range(3)]

        every = [await stream.events() for stream in streams]

        assert every[0] == every[1] == every[2]
        assert len(served.bench.engine.told) == 1

    async def test_an_ended_task_is_told_again_from_its_first_event(self, served: Served) -> None:
        body = {"prompt": "x", "task_id": new_id()}
        first = await (await served.stream("POST", "/api/task/stream", body)).events()

        assert await (await served.stream("POST", "/api/task/stream", body)).events() == first

    async def test_another_body_is_a_conflict_before_anything_streams(self, served: Served) -> None:
        task_id = new_id()
        await (await served.stream("POST", "/api/task/stream", {"prompt": "x", "task_id": task_id})).rest()

        assert (await served.stream("POST", "/api/task/stream", {"prompt": "y", "task_id": task_id})).status == 409


class TestGoingOn:
    # faults: F1
    @pytest.mark.parametrize("cut", [1, 2, 5, 50, 101])
    async def test_a_stream_that_was_cut_goes_on_where_it_was(self, served: Served, cut: int) -> None:
        task, gate = await held(served, says(*(str(n) for n in range(100))))
        stream = await served.stream("GET", f"/api/task/{task.task_id}/stream")
        seen = [await stream.event() for _ in range(cut)]
        await stream.leave()
        last = str(seen[-1]["id"])

        again = await served.stream("GET", f"/api/task/{task.task_id}/stream", headers=(("last-event-id", last),))
        gate.open()
        seen += await again.events()

        assert [event["id"] for event in seen] == list(range(1, 103))

    async def test_the_header_wins_over_the_query(self, served: Served) -> None:
        task = await served.bench.do()
        target = f"/api/task/{task.task_id}/stream?after=0"

        stream = await served.stream("GET", target, headers=(("last-event-id", "1"),))

        assert [event["id"] for event in await stream.events()] == [2]

    @pytest.mark.parametrize("query", ["", "?after=0"])
    async def test_without_a_position_it_begins_at_the_first_event(self, served: Served, query: str) -> None:
        task = await served.bench.do()

        stream = await served.stream("GET", f"/api/task/{task.task_id}/stream{query}")

        assert [event["id"] for event in await stream.events()] == [1, 2]

    async def test_a_position_before_the_task_begins_at_its_first_event(self, served: Served) -> None:
        first = await served.bench.do()
        second = await served.bench.do(resume=first.session_id)

        stream = await served.stream("GET", f"/api/task/{second.task_id}/stream?after=1")

        assert [event["id"] for event in await stream.events()] == [3, 4]

    async def test_at_the_last_event_there_is_nothing_more(self, served: Served, client: httpx.AsyncClient) -> None:
        task = await served.bench.do()

        answer = await client.get(f"/api/task/{task.task_id}/stream", headers={"last-event-id": "2"})

        assert (answer.status_code, answer.content) == (204, b"")
        assert answer.headers["x-task-id"] == task.task_id

    # faults: F2
    @pytest.mark.parametrize("position", ["3", "-1", "x", "1e30", "1.0", "+1", " 1", "٣", "", "9" * 5000, "0x1", "1\t"])
    async def test_what_is_no_position_of_the_log_is_refused(
        self, served: Served, client: httpx.AsyncClient, position: str
    ) -> None:
        task = await served.bench.do()

        answer = await client.get(f"/api/task/{task.task_id}/stream", params={"after": position})

        assert (answer.status_code, answer.json()["error"]) == (400, "position_invalid")
        assert len(answer.content) < 500

    # faults: F2
    async def test_a_position_whose_events_are_gone_says_so(
        self, served: Served, client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        task = await served.bench.do()
        monkeypatch.setattr(served.bench.store, "bounds", _bounds_of_a_log_that_was_cleared)

        answer = await client.get(f"/api/task/{task.task_id}/stream", params={"after": "1"})

        assert (answer.status_code, answer.json()["error"]) == (410, "position_gone")


class TestLivePieces:
    async def test_who_asks_for_them_gets_them_without_a_number(self, served: Served) -> None:
        task, gate = await held(served)
        stream = await served.stream("GET", f"/api/task/{task.task_id}/stream?deltas=true")
        await stream.event()
        run = served.services.execution._live[task.task_id]

        await types("Hel", "lo")(run)
        gate.open()

        told = [(event["id"], event["type"], event["content"]) for event in (await stream.events())[:3]]
        assert told == [(None, "text_delta", "Hel"), (None, "text_delta", "lo"), (2, "text", "Hello")]

    async def test_who_does_not_gets_the_whole_only(self, served: Served) -> None:
        task, gate = await held(served)
        stream = await served.stream("GET", f"/api/task/{task.task_id}/stream")
        await stream.event()
        run = served.services.execution._live[task.task_id]

        await types("Hel", "lo")(run)
        gate.open()

        assert [event["type"] for event in await stream.events()] == ["text", "complete"]

    @pytest.mark.parametrize("path", ["/api/task", "/api/task/stream"])
    @pytest.mark.parametrize(("query", "asked"), [("", False), ("?deltas=true", True), ("?deltas=false", False)])
    async def test_either_post_decides_whether_the_run_has_them(
        self, served: Served, path: str, query: str, asked: bool
    ) -> None:
        await (await served.stream("POST", path + query, {"prompt": "x"})).rest()

        assert served.bench.engine.told[0].deltas is asked

    async def test_a_wrong_word_is_refused(self, served: Served, client: httpx.AsyncClient) -> None:
        answer = await client.post("/api/task/stream?deltas=perhaps", json={"prompt": "x"})

        assert (answer.status_code, answer.json()["error"]) == (422, "invalid_request")
        assert "deltas" in answer.json()["message"]


class TestTheReaderGoes:
    @pytest.mark.parametrize(
        ("on_disconnect", "status"), [("continue", TaskStatus.RUNNING), ("stop", TaskStatus.CANCELLED)]
    )
    async def test_the_task_goes_on_unless_the_request_said_stop(
        self, served: Served, on_disconnect: str, status: TaskStatus
    ) -> None:
        gate = Gate()
        served.bench.engine.script = (waits_at(gate),)
        body = {"prompt": "x", "task_id": new_id(), "on_disconnect": on_disconnect}
        stream = await served.stream("POST", "/api/task/stream", body)
        await gate.reached.wait()

        await stream.leave()

        record = await served.services.store.task(body["task_id"])
        assert record is not None
        assert record.status is status

    async def test_a_second_reader_that_goes_stops_nothing(self, served: Served) -> None:
        gate = Gate()
        served.bench.engine.script = (waits_at(gate),)
        body = {"prompt": "x", "task_id": new_id(), "on_disconnect": "stop"}
        stream = await served.stream("POST", "/api/task/stream", body)
        reader = await served.stream("GET", f"/api/task/{body['task_id']}/stream")
        await gate.reached.wait()

        await reader.leave()
        gate.open()

        assert (await stream.events())[-1]["metadata"]["status"] == "completed"

    async def test_nobody_listens_any_more(self, served: Served) -> None:
        task, _ = await held(served)
        stream = await served.stream("GET", f"/api/task/{task.task_id}/stream")
        await stream.event()

        await stream.leave()

        assert not served.bench.store._fanout.listened_to(task.session_id)


# faults: J1
class TestTheServerGoes:
    async def test_a_stream_ends_without_complete(self, served: Served) -> None:
        task, _ = await held(served)
        streams = [await served.stream("GET", f"/api/task/{task.task_id}/stream") for _ in range(3)]
        for stream in streams:
            await stream.event()

        await served.services.drain()

        for stream in streams:
            assert await stream.rest() == []

    async def test_a_stream_of_on_disconnect_stop_leaves_its_task_to_the_next_start(self, served: Served) -> None:
        gate = Gate()
        served.bench.engine.script = (waits_at(gate),)
        body = {"prompt": "x", "task_id": new_id(), "on_disconnect": "stop"}
        stream = await served.stream("POST", "/api/task/stream", body)
        await gate.reached.wait()

        await served.services.drain()
        await stream.rest()

        record = await served.services.store.task(body["task_id"])
        assert record is not None
        assert record.status is TaskStatus.RUNNING


async def test_forty_readers_at_once_see_the_same(served: Served) -> None:
    task, gate = await held(served, says("a"))
    streams = [await served.stream("GET", f"/api/task/{task.task_id}/stream") for _ in range(40)]
    gate.open()

    every = await asyncio.gather(*(stream.rest() for stream in streams))

    assert len({b"".join(writes) for writes in every}) == 1
