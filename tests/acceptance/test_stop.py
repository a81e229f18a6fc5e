"""Stop means stopped: nothing that the task started is left, and the session goes on."""

import asyncio

from tests.acceptance.support.api import Api
from tests.acceptance.support.processes import working_in
from tests.acceptance.support.stubborn import STUBBORN, begun

GONE_WITHIN_S = 5.0


# faults: I3 I4 J3
async def test_stopping_a_task_ends_all_that_it_started(api: Api) -> None:
    async with api.stream(STUBBORN) as stream:
        called = await stream.first("tool_use")
        await begun(api.directory)
        async with asyncio.timeout(GONE_WITHIN_S):
            state = await api.stop(stream.task_id)
        assert state["status"] == "cancelled"
        # When the answer is there, so is the end; what would have come later, the canary, has nobody to bring it.
        assert working_in(api.directory) == {}
        events = await stream.rest()
    assert [event.type for event in events].count("complete") == 1
    assert events[-1].metadata["status"] == "cancelled"
    results = {event.data["tool_use_id"] for event in events if event.type == "tool_result"}
    assert called.data["tool_use_id"] in {*results, *events[-1].metadata["unknown"]}
    assert not (api.directory / "canary").exists()
    assert (api.directory / "ledger").read_text() == "ran\n"

    again = await api.run("$ echo well", resume=state["session_id"])
    assert (again["status"], again["message"]) == ("completed", "well")


async def test_stopping_what_is_over_changes_nothing(api: Api) -> None:
    answer = await api.run("hello")
    before = await api.state(answer["task_id"])
    assert await api.stop(answer["task_id"]) == before
    assert [event.type for event in await api.events(answer["task_id"])].count("complete") == 1


async def test_twenty_stops_at_once_are_one(api: Api) -> None:
    task = await api.begin("slowly 60")
    states = await asyncio.gather(*(api.stop(task["task_id"]) for _ in range(20)))
    assert {state["status"] for state in states} == {"cancelled"}
    assert [event.type for event in await api.events(task["task_id"])].count("complete") == 1


async def test_a_task_is_stopped_while_the_model_speaks(api: Api) -> None:
    async with api.stream("slowly 60", deltas=True) as stream:
        await stream.first("text_delta")
        assert (await api.stop(stream.task_id))["status"] == "cancelled"
        assert working_in(api.directory) == {}
        assert (await stream.rest())[-1].metadata["status"] == "cancelled"


async def test_background_children_of_a_finished_task_do_not_outlive_it(api: Api) -> None:
    answer = await api.run(
        "$ (setsid sleep 98765 >/dev/null 2>&1 &); env -i setsid sleep 98765 >/dev/null 2>&1 & echo off"
    )
    assert answer["message"] == "off"
    assert working_in(api.directory) == {}
