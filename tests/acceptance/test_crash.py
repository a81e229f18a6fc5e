"""The server dies without a word: what a client has seen stays, nothing is run twice, nobody is left."""

import asyncio
import signal
from collections.abc import Callable
from random import Random
from uuid import uuid4

import pytest
from tests.acceptance.conftest import ApiOf, StartServer
from tests.acceptance.support.obedient import runs
from tests.acceptance.support.processes import below, kill, name_of, until, working_in
from tests.acceptance.support.stubborn import STUBBORN, begun

from glasshouse.testing.server_process import ServerProcess


def _server_alone(server: ServerProcess) -> None:
    server.kill()


def _server_and_all_its_processes(server: ServerProcess) -> None:
    # Stopped first, so that none of them sees another one die.
    everyone = [server.pid, *below(server.pid)]
    for pid in everyone:
        kill(pid, signal.SIGSTOP)
    for pid in everyone:
        kill(pid)
    server.kill()


# faults: I1 I3
@pytest.mark.parametrize("dies", [_server_alone, _server_and_all_its_processes])
async def test_a_crash_loses_nothing_that_was_seen(
    dies: Callable[[ServerProcess], None], start_server: StartServer, api_of: ApiOf
) -> None:
    server = start_server()
    api = api_of(server)
    async with api.stream(STUBBORN) as stream:
        called = await stream.first("tool_use")
        await begun(api.directory)
        dies(server)
        seen = list(stream.seen)
    # Without a server: what watches a run ends it.
    await until(lambda: not working_in(server.workspace), within_s=10)

    api = api_of(server.start())
    events = await api.events(stream.task_id)
    assert events[: len(seen)] == seen
    assert [event.type for event in events].count("complete") == 1
    complete = events[-1]
    assert complete.metadata["status"] == "interrupted"
    assert complete.metadata["is_error"] is True
    assert complete.metadata["unknown"] == [called.data["tool_use_id"]]
    assert [event.id for event in events] == list(range(1, len(events) + 1))
    assert (await api.state(stream.task_id))["status"] == "interrupted"
    async with api.follow(stream.task_id, after=seen[-1].id) as rest:
        assert await rest.rest() == events[len(seen) :]

    again = await api.run("$ cat ledger", resume=complete.metadata["session_id"])
    assert (again["status"], again["message"]) == ("completed", "ran")
    assert (await api.events(again["task_id"]))[0].id == len(events) + 1
    assert not (api.directory / "canary").exists()


# faults: I3
async def test_the_next_start_ends_what_lost_its_supervisor_too(start_server: StartServer, api_of: ApiOf) -> None:
    server = start_server()
    api = api_of(server)
    marked = "$ setsid sleep 98765 & setsid sh -c 'trap \"\" TERM; while :; do sleep 98765; done' & touch begun; wait"
    task = await api.begin(marked)
    await until((api.directory / "begun").exists)
    running = below(server.pid)
    children = [pid for pid in running if name_of(pid) in ("sleep", "sh")]
    others = [server.pid, *(pid for pid in running if pid not in children)]
    for pid in others:
        kill(pid, signal.SIGSTOP)
    for pid in others:
        kill(pid)
    server.kill()
    assert working_in(server.workspace)
    api = api_of(server.start())
    assert set(working_in(server.workspace)) <= {server.pid, *below(server.pid)}
    assert (await api.state(task["task_id"]))["status"] == "interrupted"


# faults: I1
async def test_a_task_that_had_ended_is_as_it_was(start_server: StartServer, api_of: ApiOf) -> None:
    server = start_server()
    api = api_of(server)
    task_id = str(uuid4())
    answer = await api.run("$ echo ran >> ledger", task_id=task_id)
    events, state = await api.events(answer["task_id"]), await api.state(answer["task_id"])
    server.kill()
    api = api_of(server.start())
    assert await api.events(answer["task_id"]) == events
    assert await api.state(answer["task_id"]) == state
    assert await api.run("$ echo ran >> ledger", task_id=task_id) == answer
    assert (api.directory / "ledger").read_text() == "ran\n"


# faults: I1
@pytest.mark.parametrize("seed", range(3))
async def test_whenever_it_dies_each_step_ran_at_most_once(seed: int, start_server: StartServer, api_of: ApiOf) -> None:
    chance = Random(seed)
    server = start_server()
    api = api_of(server)
    async with api.stream(runs(f"echo {step} >> ledger" for step in range(4))) as stream:
        dies_after = chance.randrange(1, 13)
        async for event in stream:
            if event.id == dies_after:
                break
        await asyncio.sleep(chance.uniform(0, 0.1))  # the fault itself: anywhere between two events
        server.kill()
    api = api_of(server.start())
    events = await api.events(stream.task_id)
    assert events[: len(stream.seen)] == stream.seen
    assert [event.type for event in events].count("complete") == 1
    assert events[-1].metadata["status"] in ("interrupted", "completed")
    open_calls = {event.data["tool_use_id"] for event in events if event.type == "tool_use"}
    open_calls -= {event.data["tool_use_id"] for event in events if event.type == "tool_result"}
    assert set(events[-1].metadata["unknown"]) == open_calls
    ledger = api.directory / "ledger"
    ran = ledger.read_text().split() if ledger.exists() else []
    assert ran == [str(step) for step in range(len(ran))]
    assert (await api.run("$ echo well", resume=events[0].data["session_id"]))["message"] == "well"
