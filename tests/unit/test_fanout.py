"""From one commit to many subscribers, within bounds."""

import asyncio

import pytest

from glasshouse.core.fanout import KEPT_BYTES, KEPT_FRAMES, Fanout
from glasshouse.core.ports import Closed, Frame, Lagged


def frames(first: int, last: int, size: int = 1) -> list[Frame]:
    return [Frame(seq, "task", b"x" * size) for seq in range(first, last + 1)]


async def test_all_subscribers_get_the_same_frames_and_their_bytes_are_made_once() -> None:
    fanout = Fanout()
    one, other = fanout.subscribe("s"), fanout.subscribe("s")
    fanout.deliver("s", frames(1, 3))
    mine, theirs = await one.next(), await other.next()
    assert [frame.seq for frame in mine] == [1, 2, 3]
    assert all(a is b and a.sse is b.sse for a, b in zip(mine, theirs, strict=True))


async def test_each_subscriber_goes_on_from_where_it_is() -> None:
    fanout = Fanout()
    early = fanout.subscribe("s")
    fanout.deliver("s", frames(1, 5))
    late = fanout.subscribe("s")
    await early.next()
    fanout.deliver("s", frames(6, 7))
    assert [frame.seq for frame in await early.next()] == [6, 7]
    assert [frame.seq for frame in await late.next()] == [6, 7]


async def test_a_subscriber_may_be_as_far_behind_as_is_kept_and_no_further() -> None:
    # faults: F4
    fanout = Fanout()
    subscriber = fanout.subscribe("s")
    fanout.deliver("s", frames(1, KEPT_FRAMES))
    assert len(await subscriber.next()) == KEPT_FRAMES
    fanout.deliver("s", frames(1, KEPT_FRAMES + 1))
    with pytest.raises(Lagged):
        await subscriber.next()


async def test_large_frames_are_bounded_by_their_bytes() -> None:
    fanout = Fanout()
    subscriber = fanout.subscribe("s")
    size = 64 * 1024
    fanout.deliver("s", frames(1, KEPT_BYTES // size, size))
    assert len(await subscriber.next()) == KEPT_BYTES // size
    fanout.deliver("s", frames(1, KEPT_BYTES // size + 1, size))
    with pytest.raises(Lagged):
        await subscriber.next()


async def test_one_frame_is_delivered_however_large_it_is() -> None:
    fanout = Fanout()
    subscriber = fanout.subscribe("s")
    fanout.deliver("s", frames(1, 1, KEPT_BYTES * 2))
    assert [frame.seq for frame in await subscriber.next()] == [1]


async def test_a_slow_subscriber_costs_the_others_nothing() -> None:
    # faults: F4
    fanout = Fanout()
    slow, quick = fanout.subscribe("s"), fanout.subscribe("s")
    seen = 0
    for _ in range(10):
        fanout.deliver("s", frames(1, KEPT_FRAMES))
        seen += len(await quick.next())
    assert seen == 10 * KEPT_FRAMES
    with pytest.raises(Lagged):
        await slow.next()


async def test_a_session_to_which_nobody_listens_keeps_nothing() -> None:
    fanout = Fanout()
    subscribers = [fanout.subscribe("s") for _ in range(3)]
    assert fanout.listened_to("s")
    for subscriber in subscribers:
        subscriber.close()
        subscriber.close()
    assert not fanout.listened_to("s")
    fanout.deliver("s", frames(1, 3))
    later = fanout.subscribe("s")
    fanout.deliver("s", frames(4, 4))
    assert [frame.seq for frame in await later.next()] == [4]


async def test_a_reader_that_is_cancelled_misses_nothing() -> None:
    fanout = Fanout()
    subscriber = fanout.subscribe("s")
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await subscriber.next()
    fanout.deliver("s", frames(1, 1))
    assert [frame.seq for frame in await subscriber.next()] == [1]


async def test_the_end_comes_after_what_was_delivered_and_at_once_to_who_comes_later() -> None:
    fanout = Fanout()
    subscriber, changes = fanout.subscribe("s"), fanout.subscribe_tasks()
    fanout.deliver("s", frames(1, 1))
    fanout.close()
    assert len(await subscriber.next()) == 1
    for ended in (subscriber, changes, fanout.subscribe("s"), fanout.subscribe_tasks()):
        with pytest.raises(Closed):
            await ended.next()
