"""What every store keeps of the port's promises."""

import asyncio
import hashlib
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from glasshouse.contract.ids import new_id
from glasshouse.contract.task import Limit, Parked, TaskResult, TaskStatus
from glasshouse.core.ports import (
    Append,
    Blob,
    Bounds,
    Closed,
    Entry,
    Expectation,
    Figures,
    ForkPoint,
    Frame,
    Lagged,
    SessionIsFree,
    SessionRecord,
    SessionTaken,
    Store,
    StoreUnavailable,
    Subscription,
    TaskExists,
    TaskIs,
    TaskIsNew,
    TaskMoved,
    TaskRecord,
)

QUEUED, RUNNING, COMPLETED = TaskStatus.QUEUED, TaskStatus.RUNNING, TaskStatus.COMPLETED
# More than any store keeps for a subscriber that does not come for it.
FLOOD = 10_000
PATIENCE_S = 20.0


def a_task(session_id: str, status: TaskStatus = RUNNING, generation: int = 1) -> TaskRecord:
    return TaskRecord(
        task_id=new_id(),
        session_id=session_id,
        engine="claude",
        status=status,
        working_dir="/work",
        request={"prompt": "列出文件 🗂"},
        created_at="2026-01-02T03:04:05.678Z",
        generation=generation,
    )


def events(task_id: str, *texts: str) -> tuple[Entry, ...]:
    return tuple(Entry(task_id, text.encode()) for text in texts)


def live(task_id: str, text: str) -> Entry:
    return Entry(task_id, text.encode(), durable=False)


def texts(frames: Iterable[Frame]) -> list[str]:
    return [frame.body.decode() for frame in frames]


def numbers(frames: Iterable[Frame]) -> list[int]:
    return [frame.seq for frame in frames if frame.seq is not None]


async def first(subscription: Subscription, count: int) -> list[Frame]:
    """The next so many frames, and no more."""
    frames: list[Frame] = []
    async with asyncio.timeout(PATIENCE_S):
        while len(frames) < count:
            frames.extend(await subscription.next())
    assert len(frames) == count
    return frames


async def is_told_to_reset(subscription: Subscription) -> None:
    async with asyncio.timeout(PATIENCE_S):
        with pytest.raises(Lagged):
            await subscription.next()


class StoreConformance(ABC):
    """Give it a fixture `store`, an open one with nothing in it."""

    @abstractmethod
    async def reopened(self, store: Store) -> Store:
        """The store after the end of its process: closed, and opened anew on what it kept."""

    # --- numbers

    async def test_a_session_is_numbered_from_one_without_a_gap(self, store: Store) -> None:
        session, task = new_id(), new_id()
        assert await store.append(Append(session, events(task, "a", "b"))) == 2
        assert await store.append(Append(session, events(task, "c"))) == 3
        frames = await store.read(session, after=0, limit=10)
        assert numbers(frames) == [1, 2, 3]
        assert texts(frames) == ["a", "b", "c"]

    async def test_sessions_are_numbered_apart(self, store: Store) -> None:
        one, other, task = new_id(), new_id(), new_id()
        await store.append(Append(one, events(task, "a", "b")))
        assert await store.append(Append(other, events(task, "x"))) == 1
        assert texts(await store.read(one, after=0, limit=10)) == ["a", "b"]
        assert texts(await store.read(other, after=0, limit=10)) == ["x"]

    async def test_fifty_at_once_are_numbered_densely_each_step_together(self, store: Store) -> None:
        session, task = new_id(), new_id()

        async def write(writer: int) -> None:
            for step in range(20):
                await store.append(Append(session, events(task, f"{writer}.{step}.0", f"{writer}.{step}.1")))

        await asyncio.gather(*(write(writer) for writer in range(50)))
        frames = await store.read(session, after=0, limit=5000)
        assert numbers(frames) == list(range(1, 2001))
        written = texts(frames)
        assert all(
            a.removesuffix(".0") == b.removesuffix(".1") for a, b in zip(written[::2], written[1::2], strict=True)
        )
        for writer in range(50):
            own = [text for text in written if text.startswith(f"{writer}.")]
            assert own == [f"{writer}.{step}.{half}" for step in range(20) for half in range(2)]

    async def test_a_step_without_events_tells_the_last_number(self, store: Store) -> None:
        session = new_id()
        assert await store.append(Append(session, task=a_task(session))) == 0
        await store.append(Append(session, events(new_id(), "a")))
        assert await store.append(Append(session, task=a_task(session))) == 1

    async def test_bounds_are_the_first_kept_and_the_last_given(self, store: Store) -> None:
        session = new_id()
        assert await store.bounds(session) == Bounds(first=1, last=0)
        await store.append(Append(session, events(new_id(), "a", "b", "c")))
        assert await store.bounds(session) == Bounds(first=1, last=3)

    # --- reading

    async def test_reading_goes_on_after_a_number_in_pages(self, store: Store) -> None:
        session = new_id()
        await store.append(Append(session, events(new_id(), *"abcdef")))
        assert texts(await store.read(session, after=0, limit=2)) == ["a", "b"]
        assert texts(await store.read(session, after=2, limit=3)) == ["c", "d", "e"]
        assert texts(await store.read(session, after=5, limit=3)) == ["f"]
        assert list(await store.read(session, after=6, limit=3)) == []

    async def test_reading_a_task_skips_the_events_of_others(self, store: Store) -> None:
        session = new_id()
        one, other = a_task(session), a_task(session, QUEUED)
        await store.append(Append(session, events(one.task_id, "a"), task=one))
        await store.append(Append(session, events(other.task_id, "x"), task=other))
        await store.append(Append(session, events(one.task_id, "b", "c")))
        await store.append(Append(session, events(other.task_id, "y", "z")))
        mine = await store.read(session, after=0, limit=10, task_id=other.task_id)
        assert (numbers(mine), texts(mine)) == ([2, 5, 6], ["x", "y", "z"])
        assert texts(await store.read(session, after=2, limit=1, task_id=other.task_id)) == ["y"]
        assert texts(await store.read(session, after=1, limit=10, task_id=one.task_id)) == ["b", "c"]
        assert list(await store.read(session, after=4, limit=10, task_id=one.task_id)) == []

    async def test_a_frame_says_whose_it_is_and_whether_it_is_the_last(self, store: Store) -> None:
        session, task = new_id(), new_id()
        await store.append(Append(session, (Entry(task, b"a"), Entry(task, b"end", ends_task=True))))
        frames = await store.read(session, after=0, limit=10)
        assert [(frame.task_id, frame.ends_task) for frame in frames] == [(task, False), (task, True)]
        assert frames[1].sse == b"id: 2\ndata: end\n\n"

    # --- all or nothing

    async def test_a_refused_step_writes_nothing_of_itself(self, store: Store) -> None:
        session, absent = new_id(), new_id()
        task = a_task(session)
        blob = Blob(hashlib.sha256(b"long").hexdigest(), b"long")
        step = Append(
            session,
            (Entry(task.task_id, b"a", blobs=(blob,)),),
            task=task,
            session=SessionRecord(session, "claude", "/work", "now", False),
            expect=(TaskIsNew(task.task_id), TaskIs(absent, frozenset({RUNNING}), 1)),
        )
        with pytest.raises(TaskMoved):
            await store.append(step)
        assert await store.bounds(session) == Bounds(first=1, last=0)
        assert await store.task(task.task_id) is None
        assert await store.session(session) is None
        assert await store.blob(blob.sha256) is None

    async def test_a_refusal_touches_none_of_the_steps_beside_it(self, store: Store) -> None:
        session = new_id()
        refused = TaskIs(new_id(), frozenset({RUNNING}), 1)

        async def write(number: int) -> int:
            expect: tuple[Expectation, ...] = (refused,) if number % 3 == 0 else ()
            return await store.append(Append(session, events(new_id(), str(number)), expect=expect))

        outcomes = await asyncio.gather(*(write(number) for number in range(60)), return_exceptions=True)
        assert [isinstance(outcome, TaskMoved) for outcome in outcomes] == [number % 3 == 0 for number in range(60)]
        frames = await store.read(session, after=0, limit=100)
        assert numbers(frames) == list(range(1, 41))
        assert sorted(map(int, texts(frames))) == [number for number in range(60) if number % 3]

    async def test_a_live_event_is_not_for_the_log(self, store: Store) -> None:
        session, task = new_id(), new_id()
        with pytest.raises(ValueError, match="live"):
            await store.append(Append(session, (Entry(task, b"a"), live(task, "b"))))
        assert (await store.bounds(session)).last == 0

    # --- expectations

    async def test_an_id_is_new_once_and_its_second_taker_sees_the_first(self, store: Store) -> None:
        session = new_id()
        task = a_task(session)
        step = Append(session, events(task.task_id, "a"), task=task, expect=(TaskIsNew(task.task_id),))
        outcomes = await asyncio.gather(*(store.append(step) for _ in range(20)), return_exceptions=True)
        assert outcomes.count(1) == 1
        refusals = [outcome for outcome in outcomes if isinstance(outcome, TaskExists)]
        assert len(refusals) == 19
        assert refusals[0].record == replace(task, first_seq=1, last_seq=1)
        assert (await store.bounds(session)).last == 1

    @pytest.mark.parametrize("status", [QUEUED, RUNNING, TaskStatus.WAITING, TaskStatus.PARKED])
    async def test_a_session_is_taken_by_a_task_that_has_not_ended(self, store: Store, status: TaskStatus) -> None:
        session = new_id()
        holder = a_task(session, status)
        await store.append(Append(session, task=holder, expect=(SessionIsFree(session),)))
        second = Append(session, task=a_task(session), expect=(SessionIsFree(session),))
        with pytest.raises(SessionTaken):
            await store.append(second)
        await store.append(Append(session, task=replace(holder, status=COMPLETED)))
        await store.append(second)

    async def test_of_many_at_once_one_gets_the_session(self, store: Store) -> None:
        session = new_id()
        steps = [Append(session, task=a_task(session), expect=(SessionIsFree(session),)) for _ in range(20)]
        outcomes = await asyncio.gather(*map(store.append, steps), return_exceptions=True)
        assert sum(isinstance(outcome, SessionTaken) for outcome in outcomes) == 19
        assert len(await store.tasks(statuses=frozenset({RUNNING}), session_id=session)) == 1

    async def test_another_session_is_free(self, store: Store) -> None:
        taken, free = new_id(), new_id()
        await store.append(Append(taken, task=a_task(taken)))
        await store.append(Append(free, task=a_task(free), expect=(SessionIsFree(free),)))

    async def test_an_old_generation_can_write_nothing(self, store: Store) -> None:
        session = new_id()
        task = a_task(session, generation=1)
        old = TaskIs(task.task_id, frozenset({RUNNING}), 1)
        await store.append(Append(session, events(task.task_id, "a"), task=task))
        await store.append(Append(session, events(task.task_id, "b"), expect=(old,)))
        claimed = replace(task, generation=2)
        await store.append(Append(session, task=claimed, expect=(old,)))
        with pytest.raises(TaskMoved) as refusal:
            await store.append(Append(session, events(task.task_id, "late"), expect=(old,)))
        assert refusal.value.record == replace(claimed, first_seq=1, last_seq=2)
        await store.append(Append(session, events(task.task_id, "c"), expect=(replace(old, generation=2),)))
        assert texts(await store.read(session, after=0, limit=10)) == ["a", "b", "c"]

    async def test_a_task_in_another_state_has_moved(self, store: Store) -> None:
        session = new_id()
        task = a_task(session, QUEUED)
        await store.append(Append(session, task=task))
        running = TaskIs(task.task_id, frozenset({RUNNING, TaskStatus.WAITING}), 1)
        with pytest.raises(TaskMoved):
            await store.append(Append(session, expect=(running,)))
        await store.append(Append(session, task=replace(task, status=RUNNING)))
        await store.append(Append(session, expect=(running,)))

    async def test_a_task_that_nobody_knows_has_moved_too(self, store: Store) -> None:
        with pytest.raises(TaskMoved) as refusal:
            await store.append(Append(new_id(), expect=(TaskIs(new_id(), frozenset({RUNNING}), 1),)))
        assert refusal.value.record is None

    # --- projections

    async def test_a_task_is_found_as_it_was_written(self, store: Store) -> None:
        session = new_id()
        task = replace(
            a_task(session, COMPLETED, generation=3),
            request={"prompt": "„Ä“ 列\u2028出\u0001", "tools": ["Read"], "max_turns": 7, "queue": True, "model": None},
            offline=True,
            deltas=True,
            started_at="2026-01-02T03:04:06.000Z",
            ended_at="2026-01-02T03:04:07.000Z",
            result=TaskResult(success=True, message="完成", cost_usd=0.25, num_turns=2, files_changed=["a b.py"]),
            worked_ms=1234,
            figures=Figures(0.25, 2),
            parked=Parked(until=None, reason=Limit.USAGE, since="2026-01-02T03:04:06.500Z", resumes=False, attempt=2),
        )
        await store.append(Append(session, task=task))
        assert await store.task(task.task_id) == task
        assert await store.task(new_id()) is None

    async def test_interleaved_tasks_know_their_first_and_last_number(self, store: Store) -> None:
        session = new_id()
        one, other = a_task(session), a_task(session, QUEUED)
        await store.append(Append(session, events(one.task_id, "1", "2"), task=one))
        await store.append(Append(session, events(other.task_id, "3"), task=other))
        await store.append(Append(session, events(one.task_id, "4", "5")))
        ended = replace(one, status=COMPLETED)
        await store.append(Append(session, events(one.task_id, "6"), task=ended))
        await store.append(Append(session, events(other.task_id, "7")))
        assert await store.task(one.task_id) == replace(ended, first_seq=1, last_seq=6)
        assert await store.task(other.task_id) == replace(other, first_seq=3, last_seq=7)

    async def test_a_task_without_events_has_no_numbers(self, store: Store) -> None:
        session = new_id()
        task = replace(a_task(session), first_seq=8, last_seq=9)
        await store.append(Append(session, task=task))
        assert await store.task(task.task_id) == replace(task, first_seq=None, last_seq=None)

    async def test_tasks_come_by_status_in_the_order_of_admission(self, store: Store) -> None:
        here, there = new_id(), new_id()
        tasks = [a_task(here if number % 2 else there, QUEUED) for number in range(10)]
        for task in tasks:
            await store.append(Append(task.session_id, task=task))
        for task in (tasks[7], tasks[0], tasks[3]):
            await store.append(Append(task.session_id, task=replace(task, status=RUNNING)))
        await store.append(Append(tasks[0].session_id, task=replace(tasks[0], status=COMPLETED)))

        async def found(*statuses: TaskStatus, session_id: str | None = None) -> list[int]:
            records = await store.tasks(statuses=frozenset(statuses), session_id=session_id)
            ids = [task.task_id for task in tasks]
            return [ids.index(record.task_id) for record in records]

        assert await found(QUEUED) == [1, 2, 4, 5, 6, 8, 9]
        assert await found(RUNNING) == [3, 7]
        assert await found(QUEUED, RUNNING, session_id=here) == [1, 3, 5, 7, 9]
        assert await found(COMPLETED, session_id=there) == [0]
        assert await found() == []

    async def test_the_engine_gets_back_what_it_wanted_to_know(self, store: Store) -> None:
        record = SessionRecord(
            new_id(),
            "claude",
            "/工作/a b",
            "2026-01-02T03:04:05.678Z",
            True,
            {"費用": 0.125, "n": [1, None, "🙂"]},
            ForkPoint(new_id(), "m1"),
        )
        await store.append(Append(record.session_id, session=record))
        assert await store.session(record.session_id) == record
        changed = replace(record, engine_state={"費用": 0.25})
        await store.append(Append(record.session_id, session=changed))
        assert await store.session(record.session_id) == changed
        assert await store.session(new_id()) is None

    async def test_a_blob_is_found_by_its_hash(self, store: Store) -> None:
        content = b"\x00\xff" * 100_000
        blob = Blob(hashlib.sha256(content).hexdigest(), content)
        for session in (new_id(), new_id()):
            await store.append(Append(session, (Entry(new_id(), b"a", blobs=(blob, blob)),)))
        assert await store.blob(blob.sha256) == content
        assert await store.blob("0" * 64) is None

    async def test_sign_ins_are_kept_until_they_are_removed(self, store: Store) -> None:
        await store.add_sign_in("one", 1000.5)
        await store.add_sign_in("other", 2000.0)
        await store.add_sign_in("one", 3000.25)
        assert dict(await store.sign_ins()) == {"one": 3000.25, "other": 2000.0}
        await store.remove_sign_in("one")
        await store.remove_sign_in("nobody")
        assert dict(await store.sign_ins()) == {"other": 2000.0}

    # --- listening

    async def test_a_subscriber_gets_what_is_appended_from_now_on(self, store: Store) -> None:
        session, task = new_id(), new_id()
        await store.append(Append(session, events(task, "before")))
        async with listening(store, session) as (one, other):
            await store.append(Append(session, events(task, "a", "b")))
            await store.append(Append(new_id(), events(task, "elsewhere")))
            await store.append(Append(session, events(task, "c")))
            for subscription in (one, other):
                frames = await first(subscription, 3)
                assert (numbers(frames), texts(frames)) == ([2, 3, 4], ["a", "b", "c"])

    async def test_who_was_told_of_an_append_finds_it_delivered(self, store: Store) -> None:
        session = new_id()
        async with listening(store, session) as (one, _):
            await store.append(Append(session, events(new_id(), "a")))
            async with asyncio.timeout(0):
                assert texts(await one.next()) == ["a"]

    async def test_live_events_come_between_in_the_order_of_the_calls(self, store: Store) -> None:
        session, task = new_id(), new_id()
        async with listening(store, session) as (one, _):
            store.publish(session, live(task, "d1"))
            await store.append(Append(session, events(task, "whole 1")))
            store.publish(session, live(task, "d2"))
            on_its_way = asyncio.create_task(store.append(Append(session, events(task, "whole 2"))))
            await asyncio.sleep(0)
            store.publish(session, live(task, "d3"))
            await asyncio.gather(on_its_way, store.append(Append(session, events(task, "whole 3"))))
            frames = await first(one, 6)
        assert texts(frames) == ["d1", "whole 1", "d2", "whole 2", "d3", "whole 3"]
        assert [frame.seq for frame in frames] == [None, 1, None, 2, None, 3]
        assert frames[0].sse == b"data: d1\n\n"
        assert texts(await store.read(session, after=0, limit=10)) == ["whole 1", "whole 2", "whole 3"]

    async def test_a_live_event_behind_a_refused_step_still_comes(self, store: Store) -> None:
        session, task = new_id(), new_id()
        async with listening(store, session) as (one, _):
            moved = TaskIs(task, frozenset({RUNNING}), 1)
            refused = asyncio.create_task(store.append(Append(session, events(task, "a"), expect=(moved,))))
            await asyncio.sleep(0)
            store.publish(session, live(task, "d"))
            with pytest.raises(TaskMoved):
                await refused
            assert texts(await first(one, 1)) == ["d"]

    async def test_reading_and_listening_hand_over_without_a_gap(self, store: Store) -> None:
        session, task = new_id(), new_id()
        steps, each = 300, 2
        starts = {step: asyncio.Event() for step in range(0, steps, 30)}

        async def write() -> None:
            for step in range(steps):
                await store.append(Append(session, events(task, *"ab")))
                if step in starts:
                    starts[step].set()

        async def follow(start: asyncio.Event) -> list[int]:
            await start.wait()
            subscription = store.subscribe(session)
            seen: list[int] = []
            try:
                while page := await store.read(session, after=len(seen), limit=7):
                    seen += numbers(page)
                while len(seen) < steps * each:
                    seen += [seq for seq in numbers(await subscription.next()) if seq > len(seen)]
            finally:
                subscription.close()
            return seen

        async with asyncio.timeout(PATIENCE_S):
            _, *seen = await asyncio.gather(write(), *map(follow, starts.values()))
        assert all(one == list(range(1, steps * each + 1)) for one in seen)

    async def test_a_slow_subscriber_is_told_to_reset_and_finds_all_in_the_log(self, store: Store) -> None:
        # faults: F4
        session, task = new_id(), new_id()
        async with listening(store, session) as (slow, quick):
            for _ in range(FLOOD // 500):
                await store.append(Append(session, events(task, *map(str, range(500)))))
                await first(quick, 500)
            await is_told_to_reset(slow)
        again = store.subscribe(session)
        assert len(await store.read(session, after=0, limit=FLOOD * 2)) == FLOOD
        await store.append(Append(session, events(task, "next")))
        assert numbers(await first(again, 1)) == [FLOOD + 1]
        again.close()

    async def test_a_flood_of_live_events_is_bounded_as_well(self, store: Store) -> None:
        session, task = new_id(), new_id()
        async with listening(store, session) as (slow, _):
            for number in range(FLOOD):
                store.publish(session, live(task, str(number)))
            await is_told_to_reset(slow)

    async def test_changes_of_tasks_are_told_for_all_sessions(self, store: Store) -> None:
        changes = store.subscribe_tasks()
        one, other = a_task(new_id(), QUEUED), a_task(new_id())
        await store.append(Append(one.session_id, events(one.task_id, "a"), task=one))
        await store.append(Append(other.session_id, task=other))
        await store.append(Append(one.session_id, events(one.task_id, "b")))
        with pytest.raises(TaskExists):
            await store.append(Append(one.session_id, task=one, expect=(TaskIsNew(one.task_id),)))
        await store.append(Append(one.session_id, task=replace(one, status=RUNNING)))
        told: list[TaskRecord] = []
        async with asyncio.timeout(PATIENCE_S):
            while len(told) < 3:
                told.extend(await changes.next())
        changes.close()
        assert told == [
            replace(one, first_seq=1, last_seq=1),
            other,
            replace(one, status=RUNNING, first_seq=1, last_seq=2),
        ]

    async def test_sessions_come_newest_first(self, store: Store) -> None:
        older = SessionRecord(new_id(), "claude", "/work", "2026-01-01T00:00:00.000Z", False)
        newer = SessionRecord(new_id(), "claude", "/work", "2026-01-02T00:00:00.000Z", True)
        for record in (older, newer):
            await store.append(Append(record.session_id, events(new_id(), "a"), session=record))
        assert await store.sessions() == [newer, older]

    async def test_a_session_is_at_its_first_task_that_has_not_ended_else_at_its_newest(self, store: Store) -> None:
        busy, over, other = new_id(), new_id(), new_id()
        done, working, queued = a_task(busy, COMPLETED), a_task(busy), a_task(busy, QUEUED)
        first, last = a_task(over, COMPLETED), a_task(over, COMPLETED)
        for task in (done, working, queued, first, last, a_task(other)):
            await store.append(Append(task.session_id, task=task))
        assert await store.current_tasks((busy, over, new_id())) == {busy: working, over: last}

    async def test_the_costs_of_a_session_are_those_of_its_tasks(self, store: Store) -> None:
        paid, free = new_id(), new_id()
        for session, cost in ((paid, 0.25), (paid, 0.5), (paid, None), (free, None)):
            result = TaskResult(success=True, message="done", cost_usd=cost)
            await store.append(Append(session, task=replace(a_task(session, COMPLETED), result=result)))
        assert await store.costs() == {paid: 0.75}
        assert await store.costs((free,)) == {}
        assert await store.costs((paid, free)) == {paid: 0.75}

    async def test_hanging_up_ends_every_subscription_after_what_it_has(self, store: Store) -> None:
        # faults: J1
        session, task = new_id(), new_id()
        changes = store.subscribe_tasks()
        async with listening(store, session) as (idle, behind):
            waiting = asyncio.create_task(idle.next())
            await asyncio.sleep(0)
            await store.append(Append(session, events(task, "a")))
            assert texts(await waiting) == ["a"]
            waiting = asyncio.create_task(idle.next())
            await asyncio.sleep(0)
            store.hang_up()
            with pytest.raises(Closed):
                await waiting
            assert texts(await behind.next()) == ["a"]
            with pytest.raises(Closed):
                await behind.next()
            with pytest.raises(Closed):
                await changes.next()
            with pytest.raises(Closed):
                await store.subscribe(session).next()
            assert await store.append(Append(session, events(task, "the server's last words"))) == 2

    async def test_a_closed_subscription_waits_for_nothing(self, store: Store) -> None:
        session = new_id()
        subscription = store.subscribe(session)
        subscription.close()
        subscription.close()
        await store.append(Append(session, events(new_id(), "a")))
        async with asyncio.timeout(PATIENCE_S):
            with pytest.raises(Closed):
                await subscription.next()

    # --- who gives up, and the end

    async def test_who_gives_up_on_an_append_disturbs_nobody(self, store: Store) -> None:
        session, task = new_id(), new_id()
        async with listening(store, session) as (one, _):
            impatient = asyncio.create_task(store.append(Append(session, events(task, "a"))))
            await asyncio.sleep(0)
            impatient.cancel()
            assert await store.append(Append(session, events(task, "b"))) == 2
            assert texts(await first(one, 2)) == ["a", "b"]

    async def test_all_is_there_after_a_restart(self, store: Store) -> None:
        # faults: I1
        session = new_id()
        task = a_task(session)
        record = SessionRecord(session, "claude", "/work", "now", False, {"k": "值"})
        blob = Blob(hashlib.sha256(b"long").hexdigest(), b"long")
        await store.append(
            Append(
                session, (Entry(task.task_id, "啊".encode(), blobs=(blob,)),), task=task, session=record, by_person=True
            )
        )
        await store.append(Append(session, events(task.task_id, "b")))
        await store.add_sign_in("one", 1.5)
        after = await self.reopened(store)
        try:
            assert texts(await after.read(session, after=0, limit=10)) == ["啊", "b"]
            assert await after.bounds(session) == Bounds(first=1, last=2)
            assert await after.task(task.task_id) == replace(task, first_seq=1, last_seq=2)
            assert await after.session(session) == record
            assert await after.blob(blob.sha256) == b"long"
            assert dict(await after.sign_ins()) == {"one": 1.5}
            with pytest.raises(SessionTaken):
                await after.append(Append(session, expect=(SessionIsFree(session),)))
            still = TaskIs(task.task_id, frozenset({RUNNING}), 1)
            assert await after.append(Append(session, events(task.task_id, "c"), expect=(still,))) == 3
            assert await after.task(task.task_id) == replace(task, first_seq=1, last_seq=3)
        finally:
            await after.close()

    async def test_acts_of_persons_are_mixed_with_the_rest_in_order(self, store: Store) -> None:
        session, task = new_id(), new_id()
        steps = [Append(session, events(task, str(number)), by_person=number % 4 == 0) for number in range(40)]
        assert await asyncio.gather(*map(store.append, steps)) == list(range(1, 41))
        assert texts(await store.read(session, after=0, limit=50)) == [str(number) for number in range(40)]

    async def test_a_closed_store_takes_nothing_and_ends_who_listens(self, store: Store) -> None:
        session = new_id()
        subscription = store.subscribe(session)
        written: Sequence[asyncio.Task[int]] = [
            asyncio.create_task(store.append(Append(session, events(new_id(), "a")))) for _ in range(5)
        ]
        await asyncio.sleep(0)
        await store.close()
        assert [await append for append in written] == [1, 2, 3, 4, 5]
        with pytest.raises(StoreUnavailable):
            await store.append(Append(session, events(new_id(), "b")))
        assert numbers(await first(subscription, 5)) == [1, 2, 3, 4, 5]
        with pytest.raises(Closed):
            await subscription.next()
        await store.close()


@asynccontextmanager
async def listening(store: Store, session_id: str) -> AsyncIterator[tuple[Subscription, Subscription]]:
    one, other = store.subscribe(session_id), store.subscribe(session_id)
    try:
        yield one, other
    finally:
        one.close()
        other.close()
