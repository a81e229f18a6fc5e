"""A session forked: a new one that begins with another's conversation so far."""

import pytest
from tests.support.bench import Bench
from tests.unit.core.test_retention import DAY_S, retention

from glasshouse.contract.errors import SessionNotFound
from glasshouse.contract.ids import new_id
from glasshouse.contract.rewind import RewindRequest
from glasshouse.core.ports import ConversationPoint, ForkPoint
from glasshouse.testing.scripted_engine import Gate, waits_at


async def test_a_fork_is_a_session_of_its_own_that_knows_where_it_comes_from(running: Bench) -> None:
    task = await running.do("first")
    running.ways_back.messages[task.session_id] = [("m7", 100)]

    fork = await running.forks.fork(task.session_id)
    running.ways_back.messages[task.session_id].append(("m8", 200))
    await running.do("second", resume=fork.session_id)

    assert fork.session_id != task.session_id
    told = running.engine.told[1]
    assert (told.session_id, told.working_dir) == (fork.session_id, task.working_dir)
    assert told.forked_from == ForkPoint(task.session_id, "m7")
    # What was attached to the first is spoken of in the second.
    assert told.readable == (running.attachments.path(fork.session_id), running.attachments.path(task.session_id))


async def test_its_log_begins_with_where_it_comes_from(running: Bench) -> None:
    task = await running.do("first")
    running.ways_back.messages[task.session_id] = [("m3", 100)]
    fork = await running.forks.fork(task.session_id)

    [frame] = await running.store.read(fork.session_id, after=0, limit=10)

    assert frame.task_id is None
    assert b'"forked_from":{"session_id":"%s","message_id":"m3"}' % task.session_id.encode() in frame.body


async def test_a_session_that_works_can_be_forked_and_goes_on(running: Bench) -> None:
    gate = Gate()
    running.engine.plays("busy", waits_at(gate))
    task = await running.admit("busy")
    await gate.reached.wait()

    fork = await running.forks.fork(task.session_id)
    await running.do("meanwhile", resume=fork.session_id)

    gate.open()
    assert (await running.ended(task)).result
    assert fork.forked_from == ForkPoint(task.session_id, None)


async def test_a_fork_of_a_fork_that_has_not_begun_begins_where_that_does(running: Bench) -> None:
    task = await running.do("first")
    running.ways_back.messages[task.session_id] = [("m7", 100)]
    first = await running.forks.fork(task.session_id)

    assert (await running.forks.fork(first.session_id)).forked_from == ForkPoint(task.session_id, "m7")


async def test_what_was_attached_is_readable_in_forks_of_forks_and_kept_as_long_as_they_are(running: Bench) -> None:
    first = await running.do("first")
    fork = await running.forks.fork(first.session_id)
    second = await running.do("second", resume=fork.session_id)
    running.ways_back.messages[fork.session_id] = [("m2", 100)]
    running.clock.pass_by(20 * DAY_S)
    last = await running.forks.fork(second.session_id)
    await running.do("third", resume=last.session_id)
    line = [last.session_id, fork.session_id, first.session_id]
    assert running.engine.told[-1].readable == tuple(map(running.attachments.path, line))

    running.clock.pass_by(20 * DAY_S)
    assert await retention(running).sweep() == 0
    assert all([await running.store.session(each) for each in line])
    running.clock.pass_by(20 * DAY_S)
    assert await retention(running).sweep() == 3


async def test_one_that_was_begun_elsewhere_can_be_forked(bench: Bench) -> None:
    session_id = bench.knows_session(bench.work)
    assert (await bench.forks.fork(session_id)).working_dir == str(bench.work)


async def test_what_nobody_may_see_cannot_be_forked(bench: Bench) -> None:
    hidden = bench.knows_session(bench.root / "elsewhere")
    for session_id in (hidden, new_id()):
        with pytest.raises(SessionNotFound):
            await bench.forks.fork(session_id)


async def test_one_that_was_rewound_in_place_is_forked_where_it_goes_on(running: Bench) -> None:
    task = await running.do("first")
    second, third = new_id(), new_id()
    running.ways_back.messages[task.session_id] = [("m1", 100), (second, 200), (third, 300)]
    running.ways_back.points[task.session_id, second] = ConversationPoint("m1", "second", 1, dropped=(100, 300))
    await running.rewind.back(task.session_id, RewindRequest(message_id=second, fork=False), language="en")

    assert (await running.forks.fork(task.session_id)).forked_from == ForkPoint(task.session_id, "m1")
    running.ways_back.messages[task.session_id].append(("m4", 400))
    assert (await running.forks.fork(task.session_id)).forked_from == ForkPoint(task.session_id, "m4")

    # Back to a point in what was dropped, which is taken up again by that.
    running.ways_back.points[task.session_id, third] = ConversationPoint(second, "third", 2, dropped=(200, 400))
    await running.rewind.back(task.session_id, RewindRequest(message_id=third, fork=False), language="en")
    assert (await running.forks.fork(task.session_id)).forked_from == ForkPoint(task.session_id, second)
