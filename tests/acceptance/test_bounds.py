"""What bounds a task: its time, its turns, credentials; and prompts that look like something else."""

import pytest
from tests.acceptance.conftest import ApiOf, StartServer
from tests.acceptance.support.api import Api
from tests.acceptance.support.obedient import runs
from tests.acceptance.support.processes import working_in
from tests.acceptance.support.stubborn import STUBBORN


# faults: I3
async def test_a_task_that_takes_too_long_is_ended_with_all_that_it_started(api: Api) -> None:
    answer = await api.run(STUBBORN, timeout_s=2)
    assert (answer["success"], answer["status"]) == (False, "failed")
    assert working_in(api.directory) == {}
    events = await api.events(answer["task_id"])
    assert events[-2].metadata["error"] == "task_timeout"
    assert [event.type for event in events].count("complete") == 1
    assert not (api.directory / "canary").exists()
    assert (await api.run("$ echo well", resume=answer["session_id"]))["message"] == "well"


async def test_the_operators_time_is_the_default_and_the_upper_bound(start_server: StartServer, api_of: ApiOf) -> None:
    api = api_of(start_server(GLASSHOUSE_TASK_TIMEOUT_S="2"))
    for wish in ({}, {"timeout_s": 1000}):
        answer = await api.run("slowly 60", **wish)
        assert answer["status"] == "failed"
        assert (await api.events(answer["task_id"]))[-2].metadata["error"] == "task_timeout"


async def test_a_task_that_uses_up_its_turns_says_so(api: Api) -> None:
    answer = await api.run(runs(["echo ran >> ledger"] * 5), max_turns=2)
    assert answer["status"] == "failed"
    assert (await api.events(answer["task_id"]))[-2].metadata["error"] == "max_turns_reached"
    assert len((api.directory / "ledger").read_text().split()) <= 2


async def test_without_credentials_a_task_says_how_to_give_some(start_server: StartServer, api_of: ApiOf) -> None:
    server = start_server(ANTHROPIC_API_KEY="", ANTHROPIC_BASE_URL="")
    answer = await api_of(server).run("hello")
    assert (answer["success"], answer["status"]) == (False, "failed")
    assert "glasshouse claude" in answer["message"] and "ANTHROPIC_API_KEY" in answer["message"]
    events = await api_of(server).events(answer["task_id"])
    assert events[-2].metadata["error"] == "no_credentials"


async def test_a_wrong_model_key_is_told_as_such(start_server: StartServer, api_of: ApiOf) -> None:
    api = api_of(start_server(ANTHROPIC_API_KEY="sk-ant-api03-this-one-is-wrong"))
    answer = await api.run("hello")
    assert (await api.events(answer["task_id"]))[-2].metadata["error"] == "no_credentials"


# faults: C1 C3
@pytest.mark.parametrize("prompt", ["--version", "-p", "--dangerously-skip-permissions", "-", "--", "$(touch canary)"])
async def test_a_prompt_that_looks_like_an_option_is_a_prompt(api: Api, prompt: str) -> None:
    answer = await api.run(prompt)
    assert (answer["status"], answer["message"]) == ("completed", f"heard: {prompt}")
    assert list(api.directory.iterdir()) == []


@pytest.mark.parametrize("prompt", ["/help", "/clear", "/no-such-command"])
async def test_a_slash_command_ends_like_any_task(api: Api, prompt: str) -> None:
    answer = await api.run(prompt)
    events = await api.events(answer["task_id"])
    assert [event.type for event in events].count("complete") == 1 and events[-1].type == "complete"
    assert (await api.run("hello"))["message"] == "heard: hello"


# faults: H4
async def test_ten_tasks_a_minute_are_taken_at_each_of_the_two_doors(start_server: StartServer, api_of: ApiOf) -> None:
    api = api_of(start_server(GLASSHOUSE_RATE_LIMIT="10"))
    for path in ("/api/task", "/api/task/stream"):
        for _ in range(10):
            assert (await api.http.post(path, json={})).status_code == 422
        refused = await api.http.post(path, json={})
        assert (refused.status_code, refused.json()["error"]) == (429, "rate_limited")
        assert 0 < int(refused.headers["retry-after"]) <= 60
