"""Usage limits on real servers with the real Claude Code: failed, parked, gone on with, stopped, over restarts."""

import asyncio
import time
from typing import Any

import pytest
from tests.acceptance.conftest import ApiOf, StartServer
from tests.acceptance.support.api import WITHIN_S, Api
from tests.acceptance.support.model import ModelInThread
from tests.acceptance.support.obedient import steps
from tests.acceptance.support.processes import working_in

FAR = int(time.time()) + 7200


async def until_parked(api: Api, task_id: str) -> dict[str, Any]:
    async with asyncio.timeout(WITHIN_S):
        while (state := await api.state(task_id))["status"] != "parked":
            assert state["status"] in ("queued", "running"), state
            await asyncio.sleep(0.05)
    return state


def subscribed(model: ModelInThread) -> dict[str, str]:
    """As somebody with a subscription: only then Claude Code tells when a limit lifts."""
    return {"ANTHROPIC_API_KEY": "", "CLAUDE_CODE_OAUTH_TOKEN": model.endpoint.key}


async def test_a_limit_fails_a_task_that_did_not_ask_to_be_parked(
    model: ModelInThread, start_server: StartServer, api_of: ApiOf
) -> None:
    api = api_of(start_server(**subscribed(model)))
    answer = await api.run(f"limited until {FAR}")
    assert not answer["success"] and answer["status"] == "failed"
    told = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(FAR))
    assert answer["message"].startswith("The usage limit is reached: You've hit your 5-hour limit")
    assert answer["message"].endswith(f"; it lifts at {told}")

    [error] = [event for event in await api.events(answer["task_id"]) if event.type == "error"]
    assert error.metadata["error"] == "usage_limit"
    assert error.metadata["lifts_at"] == time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(FAR))


# faults: I1 J1
async def test_a_parked_task_goes_on_by_itself_when_the_limit_lifts_after_a_restart_too(
    model: ModelInThread, start_server: StartServer, api_of: ApiOf
) -> None:
    server = start_server(**subscribed(model))
    api = api_of(server)
    lifts = int(time.time()) + 12
    prompt = steps("$ echo one >> ledger", f"limited until {lifts}", "$ echo two >> ledger")
    begun = await api.begin(prompt, on_limit="resume")
    state = await until_parked(api, begun["task_id"])
    assert state["parked"]["reason"] == "usage_limit" and state["parked"]["resumes"] is True
    assert state["parked"]["until"] == time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(lifts))
    # No process waits with it.
    assert set(working_in(server.workspace)) == {server.pid}

    server.kill()
    api = api_of(server.start())
    assert (await api.state(begun["task_id"]))["status"] == "parked"
    state = await api.ended(begun["task_id"])

    assert time.time() >= lifts
    assert state["status"] == "completed", state
    assert (api.directory / "ledger").read_text() == "one\ntwo\n"
    notices = [event.metadata.get("notice") for event in await api.events(begun["task_id"])]
    assert notices.count("parked") == notices.count("unparked") == 1


async def test_a_task_that_is_parked_goes_on_when_a_person_says_so(start_server: StartServer, api_of: ApiOf) -> None:
    server = start_server()
    api = api_of(server)
    # With a key nobody knows when it lifts.
    lifts = int(time.time()) + 6
    begun = await api.begin(steps(f"limited until {lifts}", "$ echo done"), on_limit="park")
    state = await until_parked(api, begun["task_id"])
    assert state["parked"]["until"] is None and state["parked"]["resumes"] is False
    busy = await api.post("another", resume=begun["session_id"])
    assert (busy.status_code, busy.json()["error"]) == (409, "session_busy")

    async with asyncio.timeout(WITHIN_S):
        while True:
            told = await api.http.post(f"/api/task/{begun['task_id']}/continue")
            assert told.status_code == 200, told.text
            if (await once_tried(api, begun["task_id"]))["status"] == "completed":
                break
    assert (await api.ended(begun["task_id"]))["result"]["message"] == "done"


async def test_a_parked_task_can_be_stopped(start_server: StartServer, api_of: ApiOf) -> None:
    api = api_of(start_server())
    begun = await api.begin(steps("$ true", f"limited until {FAR}"), on_limit="resume")
    await until_parked(api, begun["task_id"])

    assert (await api.stop(begun["task_id"]))["status"] == "cancelled"
    events = await api.events(begun["task_id"])
    assert [event.type for event in events].count("complete") == 1
    assert (await api.run("after it", resume=begun["session_id"]))["success"]


async def once_tried(api: Api, task_id: str) -> dict[str, Any]:
    """Parked again, or at its end."""
    while True:
        state = await api.state(task_id)
        if state["status"] == "completed" or (state["status"] == "parked" and not state["parked"]["resumes"]):
            return state
        await asyncio.sleep(0.05)


CUT = "The model's call failed"


@pytest.mark.parametrize(("kind", "sentence"), [("overloaded", "The model is overloaded"), ("unreachable", CUT)])
async def test_overload_and_a_cut_stream_can_be_parked_too(
    kind: str, sentence: str, start_server: StartServer, api_of: ApiOf
) -> None:
    # Else it would retry for minutes.
    api = api_of(start_server(CLAUDE_CODE_MAX_RETRIES="1"))
    line = {"overloaded": "fail 529", "unreachable": "break off"}[kind]
    assert (await api.run(line))["message"].startswith(sentence)

    begun = await api.begin(line, on_limit="park")
    assert (await until_parked(api, begun["task_id"]))["parked"]["reason"] == kind
    await api.stop(begun["task_id"])
