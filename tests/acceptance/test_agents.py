"""Sub-agents on a real server: seen while they work, stopped one by one, and seen again after any end."""

import asyncio
from typing import Any

from tests.acceptance.conftest import ApiOf, StartServer
from tests.acceptance.support.api import WITHIN_S, Api, Event, Stream
from tests.acceptance.support.obedient import steps

TOOLS = ["Agent", "Bash"]
WAITS = "tail -f /dev/null"
STAYS = "tail -F /dev/null"


async def tree(api: Api, session_id: str) -> dict[str, Any]:
    response = await api.http.get(f"/api/sessions/{session_id}/agents")
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


async def until_at_work(stream: Stream) -> Event:
    async with asyncio.timeout(WITHIN_S):
        async for event in stream:
            if event.type == "tool_use" and event.data["tool_input"].get("command") == WAITS:
                return event
    raise AssertionError("the stream ended before")


async def test_one_of_two_is_stopped_and_the_other_brings_its_result(api: Api) -> None:
    async with api.stream(f"agents $ {WAITS}; $ echo brought", tools=TOOLS, deltas=True) as stream:
        step = await until_at_work(stream)
        session_id = step.data["session_id"]
        waiting = next(each for each in (await tree(api, session_id))["agents"] if WAITS in each["description"])
        assert (waiting["state"], waiting["steps"], waiting["last_tool"]) == ("running", 1, "Bash")
        assert waiting["tool_use_id"] == step.data["parent_tool_use_id"]

        response = await api.http.post(f"/api/sessions/{session_id}/agents/{waiting['agent_id']}/stop")
        assert response.json() == {"success": True, "agent_id": waiting["agent_id"], "state": "stopped"}
        events = await stream.rest()

    assert events[-1].metadata["status"] == "completed"
    assert any(event.type == "agent_progress" and event.id is None for event in events)
    states = {each["description"]: each["state"] for each in (await tree(api, session_id))["agents"]}
    assert states == {f"$ {WAITS}": "stopped", "$ echo brought": "completed"}


async def test_a_command_in_the_background_is_stopped_by_the_same_door(api: Api) -> None:
    task = await api.begin(steps(f"later {STAYS}", f"$ {WAITS}"))
    async with api.follow(task["task_id"]) as stream:
        await until_at_work(stream)
    [command] = (await tree(api, task["session_id"]))["background"]
    response = await api.http.post(f"/api/sessions/{task['session_id']}/agents/{command['background_id']}/stop")
    assert (command["state"], response.json()["state"]) == ("running", "stopped")
    await api.stop(task["task_id"])


async def test_what_a_stopped_task_leaves_is_not_at_work(api: Api) -> None:
    """faults: I3"""
    task = await api.begin(steps(f"later {STAYS}", f"agents $ {WAITS}"), tools=TOOLS)
    async with api.follow(task["task_id"]) as stream:
        step = await until_at_work(stream)
    assert step.data["parent_tool_use_id"]
    await api.stop(task["task_id"])
    found = await tree(api, task["session_id"])
    assert [each["state"] for each in (*found["agents"], *found["background"])] == ["stopped", "stopped"]


async def test_after_a_crash_no_agent_seems_to_be_at_work(start_server: StartServer, api_of: ApiOf) -> None:
    """faults: I1 I3"""
    server = start_server()
    api = api_of(server)
    task = await api.begin(f"agents $ {WAITS}", tools=TOOLS)
    async with api.follow(task["task_id"]) as stream:
        await until_at_work(stream)
        server.kill()
    server.start()
    api = api_of(server)
    [agent] = (await tree(api, task["session_id"]))["agents"]
    assert (agent["state"], agent["ended_at"] is not None) == ("stopped", True)
    response = await api.http.post(f"/api/sessions/{task['session_id']}/agents/{agent['agent_id']}/stop")
    assert response.json()["state"] == "stopped"


async def test_the_demo_sends_out_three_and_tells_what_they_did(demo: Api) -> None:
    (demo.directory / "README.md").write_text("# Glass\n")
    examples = (await demo.http.get("/api/examples", headers={"accept-language": "en"})).json()["examples"]
    example = next(each for each in examples if each["id"] == "fan_out")
    answer = await demo.run(example["prompt"], tools=example["tools"], permission_mode=example["permission_mode"])
    assert answer["message"].count(": done") == 3
    assert (demo.directory / "glasshouse_demo.py").is_file()

    agents = (await tree(demo, answer["session_id"]))["agents"]
    assert [agent["state"] for agent in agents] == ["completed"] * 3
    assert all(agent["steps"] > 0 and agent["usage"]["input_tokens"] > 0 for agent in agents)
    # All began before the first had ended.
    assert max(agent["started_at"] for agent in agents) < min(agent["ended_at"] for agent in agents)
