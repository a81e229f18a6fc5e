"""A session forked: a new one that begins with another's conversation so far."""

import pytest
from tests.support.bench import Bench

from glasshouse.contract.errors import SessionNotFound
from glasshouse.contract.ids import new_id
from glasshouse.core.ports import ForkPoint
from glasshouse.testing.scripted_engine import Gate, waits_at


async def test_a_fork_is_a_session_of_its_own_that_knows_where_it_comes_from(running: Bench) -> None:
    task = await running.do("first")
    running.sessions.newest_messages[task.session_id] = "m7"

    fork = await running.forks.fork(task.session_id)
    running.sessions.newest_messages[task.session_id] = "m8"
    await running.do("second", resume=fork.session_id)

    assert fork.session_id != task.session_id
    told = running.engine.told[1]
    assert (told.session_id, told.working_dir) == (fork.session_id, task.working_dir)
    assert told.forked_from == ForkPoint(task.session_id, "m7")
    # What was attached to the first is spoken of in the second.
    assert told.readable == (running.attachments.path(fork.session_id), running.attachments.path(task.session_id))


async def test_its_log_begins_with_where_it_comes_from(running: Bench) -> None:
    task = await running.do("first")
    fork = await running.forks.fork(task.session_id, message_id="m3")

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
    running.sessions.newest_messages[task.session_id] = "m7"
    first = await running.forks.fork(task.session_id)

    assert (await running.forks.fork(first.session_id)).forked_from == ForkPoint(task.session_id, "m7")


async def test_one_that_was_begun_elsewhere_can_be_forked(bench: Bench) -> None:
    session_id = bench.knows_session(bench.work)
    assert (await bench.forks.fork(session_id)).working_dir == str(bench.work)


async def test_what_nobody_may_see_cannot_be_forked(bench: Bench) -> None:
    hidden = bench.knows_session(bench.root / "elsewhere")
    for session_id in (hidden, new_id()):
        with pytest.raises(SessionNotFound):
            await bench.forks.fork(session_id)
