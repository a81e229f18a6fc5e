"""Reading a log while it grows: from any position, nothing lost and nothing twice."""

import asyncio
import json
from collections.abc import Sequence
from contextlib import aclosing
from typing import Any

import pytest
from tests.support.bench import PATIENCE_S, Bench

from glasshouse.contract.errors import PositionGone, PositionInvalid
from glasshouse.contract.ids import new_id
from glasshouse.contract.task import TaskStatus
from glasshouse.core import fanout
from glasshouse.core.ports import Append, Bounds, Closed, Entry, Frame, TaskRecord
from glasshouse.core.streams import checked_position, follow_task, is_at_end, start_of, tail
from glasshouse.testing.memory_store import MemoryStore
from glasshouse.testing.scripted_engine import Gate, says, types, waits_at


async def followed(bench: Bench, task: TaskRecord, *, after: int | None = None) -> list[Frame]:
    position = start_of(task) if after is None else after
    frames: list[Frame] = []
    async with asyncio.timeout(PATIENCE_S):
        async for batch in follow_task(bench.store, await bench.now(task), after=position):
            frames.extend(batch)
    return frames


def numbers(frames: Sequence[Frame]) -> list[int]:
    return [frame.seq for frame in frames if frame.seq is not None]


def content(frame: Frame) -> Any:
    return json.loads(frame.body)["content"]


def a_task(status: TaskStatus = TaskStatus.RUNNING, **fields: Any) -> TaskRecord:
    return TaskRecord(
        task_id=new_id(),
        session_id=new_id(),
        engine="claude",
        status=status,
        working_dir="/w",
        request={},
        created_at="2026-01-02T03:04:05.678Z",
        **fields,
    )


async def listened_to(bench: Bench, task: TaskRecord) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not bench.store._fanout.listened_to(task.session_id):  # noqa: ASYNC110 - it has no event for that
            await asyncio.sleep(0)


# faults: F1
async def test_a_reader_cut_after_any_of_200_events_goes_on_without_gap_or_double(running: Bench) -> None:
    running.engine.script = (says(*(f"line {n}" for n in range(198))),)
    task = await running.do()
    whole = await followed(running, task)
    assert len(whole) == 200

    for cut in range(200):
        rest = await followed(running, task, after=cut)
        assert numbers(whole[:cut]) + numbers(rest) == list(range(1, 201))
    assert is_at_end(task, 200)


# faults: F1
@pytest.mark.parametrize("cut", [0, 1, 7, 39])
async def test_a_reader_that_comes_while_the_task_runs_gets_each_event_once(running: Bench, cut: int) -> None:
    gates = [Gate() for _ in range(40)]
    running.engine.script = tuple(step for n, gate in enumerate(gates) for step in (waits_at(gate), says(f"{n}")))
    task = await running.admit()
    for gate in gates[:cut]:
        await gate.reached.wait()
        gate.open()
    reader = asyncio.create_task(followed(running, task))
    for gate in gates[cut:]:
        await gate.reached.wait()
        gate.open()

    assert numbers(await reader) == list(range(1, 43))


async def test_a_stream_holds_its_own_task_only(running: Bench) -> None:
    gate = Gate()
    running.engine.plays("first", says("one"), waits_at(gate), says("two"))
    first = await running.admit("first")
    second = await running.admit("second", resume=first.session_id, queue=True)
    await gate.reached.wait()
    both = [asyncio.create_task(followed(running, task)) for task in (first, second)]
    await asyncio.sleep(0)
    gate.open()

    frames_of_first, frames_of_second = await asyncio.gather(*both)

    assert {frame.task_id for frame in frames_of_first} == {first.task_id}
    assert {frame.task_id for frame in frames_of_second} == {second.task_id}
    assert not set(numbers(frames_of_first)) & set(numbers(frames_of_second))


async def test_a_task_that_was_queued_while_another_ran_streams_from_its_own_first_event(running: Bench) -> None:
    gate = Gate()
    running.engine.plays("first", says("one"), waits_at(gate), says("two"))
    first = await running.admit("first")
    await gate.reached.wait()
    second = await running.admit("second", resume=first.session_id, queue=True)
    gate.open()
    await running.ended(second)

    frames = await followed(running, second, after=0)

    assert [json.loads(frame.body)["type"] for frame in frames] == ["info", "complete"]


class TestLiveEvents:
    async def test_who_listens_sees_each_piece_before_the_whole(self, running: Bench) -> None:
        gate = Gate()
        running.engine.script = (waits_at(gate), types("Hel", "lo"))
        task = await running.admit()
        await gate.reached.wait()
        reader = asyncio.create_task(followed(running, task))
        await listened_to(running, task)
        gate.open()

        frames = await reader

        assert [(frame.seq is None, content(frame)) for frame in frames[1:4]] == [
            (True, "Hel"),
            (True, "lo"),
            (False, "Hello"),
        ]

    async def test_they_are_not_in_the_log(self, running: Bench) -> None:
        running.engine.script = (types("Hel", "lo"),)

        frames = await followed(running, await running.do())

        assert all(frame.seq is not None for frame in frames)

    async def test_pieces_of_a_text_that_the_reader_has_whole_do_not_come_after_it(self) -> None:
        """All of this arrives while the log is being read, which then has the whole texts already."""
        store = SlowToRead()
        await store.open()
        task = a_task()

        def piece(text: str) -> None:
            store.publish(task.session_id, Entry(task.task_id, text.encode(), durable=False))

        async def whole(text: str) -> None:
            await store.append(Append(task.session_id, entries=(Entry(task.task_id, text.encode()),)))

        frames: list[Frame] = []
        async with aclosing(tail(store, task.session_id, after=0)) as batches:
            first = asyncio.ensure_future(anext(batches))
            await store.reading.reached.wait()
            piece("Hel")
            await whole("Hello")
            piece("Wor")
            await whole("World")
            piece("still typ")
            store.reading.open()
            frames.extend(await first)
            frames.extend(await anext(batches))

        assert [frame.body.decode() for frame in frames] == ["Hello", "World", "still typ"]


class SlowToRead(MemoryStore):
    """Reads when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.reading = Gate()

    async def read(self, session_id: str, *, after: int, limit: int, task_id: str | None = None) -> Sequence[Frame]:
        await self.reading.passed()
        return await super().read(session_id, after=after, limit=limit, task_id=task_id)


class TestFallingBehind:
    async def test_who_falls_behind_is_served_from_the_log(
        self, running: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(fanout, "KEPT_FRAMES", 8)
        gate = Gate()
        running.engine.script = (waits_at(gate), says(*(f"{n}" for n in range(300))))
        task = await running.admit()
        await gate.reached.wait()
        frames: list[Frame] = []
        async with aclosing(follow_task(running.store, await running.now(task), after=0)) as batches:
            frames.extend(await anext(batches))
            gate.open()
            await running.ended(task)
            async for batch in batches:
                frames.extend(batch)

        assert numbers(frames) == list(range(1, 303))


class TestTheServerGoes:
    async def test_a_stream_ends_without_complete(self, running: Bench) -> None:
        gate = Gate()
        running.engine.script = (waits_at(gate),)
        task = await running.admit()
        await gate.reached.wait()
        reader = asyncio.create_task(followed(running, task))
        await listened_to(running, task)

        running.store.hang_up()

        with pytest.raises(Closed):
            await reader

    async def test_nobody_listens_any_more_when_a_reader_is_gone(self, running: Bench) -> None:
        gate = Gate()
        running.engine.script = (waits_at(gate),)
        task = await running.admit()
        await gate.reached.wait()
        reader = asyncio.create_task(followed(running, task))
        await listened_to(running, task)

        reader.cancel()
        await asyncio.gather(reader, return_exceptions=True)

        assert not running.store._fanout.listened_to(task.session_id)


# faults: F2
class TestPositions:
    BOUNDS = Bounds(first=1, last=100)

    def test_without_one_it_begins_at_the_tasks_first_event(self) -> None:
        assert checked_position(a_task(first_seq=41), self.BOUNDS, None) == 40

    @pytest.mark.parametrize("given", [0, 1, 39])
    def test_one_before_the_task_begins_there_too(self, given: int) -> None:
        assert checked_position(a_task(first_seq=41), self.BOUNDS, given) == 40

    @pytest.mark.parametrize("given", [40, 41, 99, 100])
    def test_one_within_it_is_taken(self, given: int) -> None:
        assert checked_position(a_task(first_seq=41), self.BOUNDS, given) == given

    @pytest.mark.parametrize("given", [-1, 101, 10**30])
    def test_one_beyond_the_log_is_invalid(self, given: int) -> None:
        with pytest.raises(PositionInvalid):
            checked_position(a_task(first_seq=41), self.BOUNDS, given)

    @pytest.mark.parametrize("given", [None, 0, 48])
    def test_one_whose_events_are_gone_says_so(self, given: int | None) -> None:
        with pytest.raises(PositionGone):
            checked_position(a_task(first_seq=41), Bounds(first=50, last=100), given)

    def test_the_last_one_before_what_is_kept_is_taken(self) -> None:
        assert checked_position(a_task(first_seq=41), Bounds(first=50, last=100), 49) == 49

    @pytest.mark.parametrize(
        ("status", "position", "at_end"),
        [
            (TaskStatus.COMPLETED, 49, False),
            (TaskStatus.COMPLETED, 50, True),
            (TaskStatus.COMPLETED, 60, True),
            (TaskStatus.RUNNING, 50, False),
        ],
    )
    def test_only_an_ended_tasks_last_event_is_its_end(self, status: TaskStatus, position: int, at_end: bool) -> None:
        assert is_at_end(a_task(status, first_seq=41, last_seq=50), position) is at_end
