"""The console's socket: many sessions over one connection, each with its own cursor, nothing lost and nothing twice."""

from typing import Any

import pytest
from tests.support.served import Served, Socket

from glasshouse.contract.ids import new_id
from glasshouse.core import fanout
from glasshouse.core.ports import Bounds, StoreUnavailable, TaskRecord
from glasshouse.testing.scripted_engine import Gate, says, types, waits_at


async def held(served: Served, *before: Any) -> tuple[TaskRecord, Gate]:
    gate = Gate()
    served.bench.engine.script = (*before, waits_at(gate))
    task = await served.bench.admit()
    await gate.reached.wait()
    return task, gate


async def heard(socket: Socket, count: int) -> list[dict[str, Any]]:
    return [await socket.hear() for _ in range(count)]


class TestSubscribing:
    async def test_it_is_told_how_far_the_log_goes_and_then_every_event(self, served: Served) -> None:
        task = await served.bench.do()
        socket = await served.socket()

        answer = await socket.ask({"op": "subscribe", "session_id": task.session_id})

        assert answer == {"op": "subscribed", "session_id": task.session_id, "last": 2}
        messages = await heard(socket, 2)
        assert [message["seq"] for message in messages] == [1, 2]
        assert messages[0]["session_id"] == task.session_id
        assert [message["event"] for message in messages] == await served.bench.events(task)
        await socket.leave()

    # faults: F1
    @pytest.mark.parametrize("after", [0, 1, 57, 101, 102])
    async def test_it_goes_on_after_what_the_client_has(self, served: Served, after: int) -> None:
        task, gate = await held(served, says(*(str(n) for n in range(100))))
        socket = await served.socket()
        await socket.ask({"op": "subscribe", "session_id": task.session_id, "after": min(after, 101)})
        gate.open()

        messages = await heard(socket, 102 - min(after, 101))

        assert [message["seq"] for message in messages] == list(range(min(after, 101) + 1, 103))
        await socket.leave()

    async def test_it_hears_of_later_tasks_of_the_session_too(self, served: Served) -> None:
        first = await served.bench.do()
        socket = await served.socket()
        await socket.ask({"op": "subscribe", "session_id": first.session_id, "after": 2})

        second = await served.bench.do(resume=first.session_id)

        assert {message["event"]["task_id"] for message in await heard(socket, 2)} == {second.task_id}
        await socket.leave()

    async def test_a_session_that_is_yet_to_come_can_be_subscribed(self, served: Served) -> None:
        session_id = served.bench.knows_session(served.bench.work)
        socket = await served.socket()
        answer = await socket.ask({"op": "subscribe", "session_id": session_id})
        assert answer["last"] == 0

        await served.bench.do(resume=session_id)

        assert [message["seq"] for message in await heard(socket, 2)] == [1, 2]
        await socket.leave()

    async def test_live_pieces_come_without_a_number_in_their_place(self, served: Served) -> None:
        task, gate = await held(served)
        socket = await served.socket()
        await socket.ask({"op": "subscribe", "session_id": task.session_id, "after": 1})

        await types("Hel", "lo")(served.services.execution._live[task.task_id])

        messages = await heard(socket, 3)
        assert [message["live"]["content"] for message in messages[:2]] == ["Hel", "lo"]
        assert set(messages[0]) == {"session_id", "live"}
        assert messages[2]["event"]["content"] == "Hello"
        gate.open()
        await socket.leave()

    async def test_subscribing_again_begins_again(self, served: Served) -> None:
        task = await served.bench.do()
        socket = await served.socket()
        for _ in range(2):
            await socket.ask({"op": "subscribe", "session_id": task.session_id})
            assert [message["seq"] for message in await heard(socket, 2)] == [1, 2]
        await socket.leave()

    async def test_after_unsubscribing_nothing_more_comes(self, served: Served) -> None:
        task, gate = await held(served)
        socket = await served.socket()
        await socket.ask({"op": "subscribe", "session_id": task.session_id, "after": 1})
        socket.say({"op": "unsubscribe", "session_id": task.session_id})
        assert await socket.ask({"op": "ping"}) == {"op": "pong"}

        gate.open()
        await served.bench.ended(task)

        assert await socket.ask({"op": "ping"}) == {"op": "pong"}
        await socket.leave()

    async def test_two_sockets_see_the_same_in_the_same_order(self, served: Served) -> None:
        task, gate = await held(served)
        sockets = [await served.socket() for _ in range(2)]
        for socket in sockets:
            await socket.ask({"op": "subscribe", "session_id": task.session_id})
        gate.open()

        seen = [await heard(socket, 2) for socket in sockets]

        assert seen[0] == seen[1]
        for socket in sockets:
            await socket.leave()


# faults: F2
class TestPositions:
    @pytest.mark.parametrize("after", [3, 10**6, 10**30])
    async def test_one_beyond_the_log_is_said(self, served: Served, after: int) -> None:
        task = await served.bench.do()
        socket = await served.socket()

        answer = await socket.ask({"op": "subscribe", "session_id": task.session_id, "after": after})

        assert answer == {"op": "error", "code": "position_invalid", "session_id": task.session_id}
        await socket.leave()

    async def test_one_whose_events_are_gone_is_a_reset(self, served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
        task = await served.bench.do()
        monkeypatch.setattr(served.bench.store, "bounds", _cleared)
        socket = await served.socket()

        answer = await socket.ask({"op": "subscribe", "session_id": task.session_id, "after": 3})

        assert answer == {"op": "reset", "session_id": task.session_id, "first": 10, "last": 20}
        await socket.leave()

    # faults: F4
    async def test_who_falls_behind_is_told_and_can_begin_again(
        self, served: Served, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(fanout, "KEPT_FRAMES", 4)
        task, gate = await held(served)
        socket = await served.socket()
        await socket.ask({"op": "subscribe", "session_id": task.session_id, "after": 1})
        store = served.bench.store
        run = served.services.execution._live[task.task_id]

        await says(*(str(n) for n in range(3)))(run)
        store._fanout.deliver(task.session_id, await store.read(task.session_id, after=0, limit=4))
        store._fanout.deliver(task.session_id, await store.read(task.session_id, after=0, limit=4))
        message = await socket.hear()
        while message.get("op") != "reset":
            message = await socket.hear()

        assert message == {"op": "reset", "session_id": task.session_id, "first": 1, "last": 4}
        gate.open()
        await served.bench.ended(task)
        await socket.ask({"op": "subscribe", "session_id": task.session_id, "after": 4})
        assert (await socket.hear())["seq"] == 5
        await socket.leave()


async def _cleared(session_id: str) -> Bounds:
    return Bounds(first=10, last=20)


class TestAllSessions:
    async def test_it_hears_of_every_task_first_as_it_is_then_each_change(self, served: Served) -> None:
        task, gate = await held(served)
        socket = await served.socket()

        assert await socket.ask({"op": "subscribe", "session_id": "*"}) == {
            "op": "subscribed",
            "session_id": "*",
            "last": None,
        }
        first = await socket.hear()
        assert first["session_id"] == "*"
        assert (first["task"]["task_id"], first["task"]["status"]) == (task.task_id, "running")
        gate.open()
        assert (await socket.hear())["task"]["status"] == "completed"
        await served.bench.do()
        assert [message["task"]["status"] for message in await heard(socket, 3)] == ["queued", "running", "completed"]
        await socket.leave()

    async def test_what_had_ended_is_not_told(self, served: Served) -> None:
        await served.bench.do()
        socket = await served.socket()
        await socket.ask({"op": "subscribe", "session_id": "*"})

        assert await socket.ask({"op": "ping"}) == {"op": "pong"}
        await socket.leave()


class TestFrames:
    # faults: H3
    @pytest.mark.parametrize(
        "text",
        [
            *(
                "",
                " ",
                "x",
                "null",
                "[]",
                "1",
                '"subscribe"',
                "{}",
                '{"op": 1}',
                '{"op": "shout"}',
                '{"op": "subscribe"}',
            ),
            '{"op": "subscribe", "session_id": "x"}',
            '{"op": "subscribe", "session_id": "../etc"}',
            '{"op": "subscribe", "session_id": "*", "after": -1}',
            '{"op": "subscribe", "session_id": "*", "after": "1"}',
            '{"op": "subscribe", "session_id": "*", "after": 1e30}',
            '{"op": "subscribe", "session_id": "*", "after": true}',
            '{"op": "subscribe", "session_id": "*", "more": 1}',
            '{"op": "ping", "more": 1}',
            '{"op": "unsubscribe"}',
            '{"op": "\\ud800"}',
            "[" * 50_000,
        ],
    )
    async def test_a_bad_one_is_said_and_the_socket_lives_on(self, served: Served, text: str) -> None:
        socket = await served.socket()

        socket.send(text)

        assert await socket.hear() == {"op": "error", "code": "bad_frame"}
        assert await socket.ask({"op": "ping"}) == {"op": "pong"}
        await socket.leave()

    async def test_bytes_are_read_as_text_and_refused_where_they_are_none(self, served: Served) -> None:
        socket = await served.socket()

        socket.send_bytes(b'{"op": "ping"}')
        assert await socket.hear() == {"op": "pong"}
        socket.send_bytes(b"\xff\x00")
        assert await socket.hear() == {"op": "error", "code": "bad_frame"}
        await socket.leave()

    async def test_unsubscribing_from_what_is_not_subscribed_is_harmless(self, served: Served) -> None:
        socket = await served.socket()
        socket.say({"op": "unsubscribe", "session_id": new_id()})

        assert await socket.ask({"op": "ping"}) == {"op": "pong"}
        await socket.leave()

    async def test_there_are_64_subscriptions_and_not_one_more(self, served: Served) -> None:
        socket = await served.socket()
        sessions = [new_id() for _ in range(64)]
        for session_id in sessions:
            assert (await socket.ask({"op": "subscribe", "session_id": session_id}))["op"] == "subscribed"

        more = {"op": "subscribe", "session_id": "*"}
        assert await socket.ask(more) == {"op": "error", "code": "too_many_subscriptions", "session_id": "*"}
        assert (await socket.ask({"op": "subscribe", "session_id": sessions[0]}))["op"] == "subscribed"
        socket.say({"op": "unsubscribe", "session_id": sessions[1]})
        assert (await socket.ask(more))["op"] == "subscribed"
        await socket.leave()


class TestTheEnd:
    async def test_a_client_that_goes_leaves_nothing_behind(self, served: Served) -> None:
        task, gate = await held(served)
        socket = await served.socket()
        await socket.ask({"op": "subscribe", "session_id": task.session_id})
        await socket.ask({"op": "subscribe", "session_id": "*"})

        await socket.leave()

        assert not served.bench.store._fanout.listened_to(task.session_id)
        assert served.bench.store._fanout._tasks.subscribers == 0
        gate.open()

    # faults: J1
    async def test_a_server_that_goes_closes_it_as_a_restart(self, served: Served) -> None:
        task, _ = await held(served)
        socket = await served.socket()
        for session_id in (task.session_id, "*"):
            await socket.ask({"op": "subscribe", "session_id": session_id})

        await served.services.drain()

        assert await socket.hear_close() == 1012
        await socket.leave()

    async def test_one_that_subscribed_to_nothing_is_closed_so_too(self, served: Served) -> None:
        socket = await served.socket()
        await socket.ask({"op": "ping"})

        await served.services.drain()
        socket.say({"op": "subscribe", "session_id": "*"})

        assert await socket.hear_close() == 1012
        await socket.leave()

    async def test_a_store_that_fails_closes_it_with_a_code(
        self, served: Served, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def broken(session_id: str) -> Bounds:
            raise StoreUnavailable("I/O error")

        monkeypatch.setattr(served.bench.store, "bounds", broken)
        socket = await served.socket()
        socket.say({"op": "subscribe", "session_id": new_id()})

        assert await socket.hear_close() == 1011
        await socket.leave()
