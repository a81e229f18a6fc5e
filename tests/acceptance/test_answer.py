"""`POST /api/task`: the answer, not waiting for it, and what a closed connection means."""

import asyncio

import pytest
from tests.acceptance.support.api import Api
from tests.acceptance.support.obedient import steps
from tests.acceptance.support.processes import until, working_in

GATE = "$ touch begun; until [ -e go ]; do sleep 0.05; done; echo went"


async def test_a_task_answers_with_its_result(api: Api) -> None:
    answer = await api.run(steps("$ echo some words > made.txt; cat made.txt"))
    assert set(answer) == {
        *("success", "message", "session_id", "cost_usd", "duration_ms", "files_changed", "tools_used"),
        *("task_id", "status"),
    }
    assert answer["success"] is True and answer["status"] == "completed"
    assert answer["message"] == "some words"
    assert answer["tools_used"] == ["Bash"]
    assert answer["duration_ms"] > 0


async def test_a_task_that_failed_is_an_answer_too(api: Api) -> None:
    answer = await api.run("fail 400")
    assert (answer["success"], answer["status"]) == (False, "failed")
    events = await api.events(answer["task_id"])
    assert [event.type for event in events[-2:]] == ["error", "complete"]
    assert events[-2].metadata["error"] == "engine_failed"


async def test_who_does_not_wait_finds_the_task_again(api: Api) -> None:
    state = await api.begin("hello")
    assert state["status"] in ("queued", "running")
    ended = await api.ended(state["task_id"])
    assert ended["status"] == "completed"
    assert ended["result"]["message"] == "heard: hello"


async def test_waiting_ends_and_the_task_goes_on(api: Api) -> None:
    response = await api.post(GATE, wait_s=0.1)
    assert (response.status_code, response.json()["status"]) == (202, "running")
    (api.directory / "go").touch()
    assert (await api.ended(response.json()["task_id"]))["status"] == "completed"


@pytest.mark.parametrize(("on_disconnect", "end"), [("stop", "cancelled"), ("continue", "completed")])
async def test_a_closed_stream_means_what_was_asked_for(api: Api, on_disconnect: str, end: str) -> None:
    async with api.stream(GATE, on_disconnect=on_disconnect) as stream:
        await stream.first("tool_use")
        await until((api.directory / "begun").exists)
    if end == "cancelled":
        await until(lambda: not working_in(api.directory))
        assert (await api.ended(stream.task_id))["status"] == end
    (api.directory / "go").touch()
    events = await api.events(stream.task_id)
    assert events[-1].metadata["status"] == end
    assert [event.type for event in events].count("complete") == 1


async def test_who_hangs_up_instead_of_awaiting_the_answer_can_stop_the_task(api: Api) -> None:
    task_id = "7e6a31b5-5f2e-4d0b-9d5e-0c8a2f1f9f01"
    waiting = asyncio.create_task(api.post(GATE, task_id=task_id, on_disconnect="stop"))
    await until((api.directory / "begun").exists)
    waiting.cancel()
    assert (await api.ended(task_id))["status"] == "cancelled"
