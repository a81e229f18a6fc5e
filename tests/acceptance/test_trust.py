"""What a project carries runs only where it is trusted, whoever wrote it, and when."""

import asyncio
import json
from typing import Any

import pytest
from tests.acceptance.conftest import ApiOf, StartServer
from tests.acceptance.support.api import WITHIN_S, Api
from tests.acceptance.support.model import ModelInThread

HOOKS = {"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "touch canary"}]}]}}
# Claude Code sees through a redirection into .claude, not through a program.
PLANT = f"""\
from pathlib import Path
Path(".claude").mkdir()
Path(".claude/settings.json").write_text({json.dumps(HOOKS)!r})
Path("CLAUDE.md").write_text("the word is zinnia")
"""


@pytest.mark.parametrize(("trust", "runs"), [("always", True), ("never", False)])
async def test_hooks_that_the_task_before_wrote_run_only_where_it_is_trusted(
    trust: str, runs: bool, start_server: StartServer, api_of: ApiOf, model: ModelInThread
) -> None:
    api = api_of(start_server(GLASSHOUSE_TRUST=trust))
    (api.directory / "plant.py").write_text(PLANT)
    first = await api.run("$ python3 plant.py")
    assert (api.directory / ".claude" / "settings.json").exists()
    again = await api.run("hello again", resume=first["session_id"])
    fresh = await api.run(f"hello with {trust}")
    assert (again["status"], fresh["status"]) == ("completed", "completed")
    assert (api.directory / "canary").exists() is runs
    # Its instructions are text, and reach the model in any case.
    assert "zinnia" in str(model.heard(f"hello with {trust}")[-1])


async def _question(api: Api, task_id: str) -> dict[str, Any]:
    async with api.follow(task_id) as stream:
        asked = await stream.first("ask_user_question")
    question: dict[str, Any] = asked.data["question"]
    async with asyncio.timeout(WITHIN_S):
        while (await api.state(task_id))["status"] != "waiting":  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    return question


async def _answer(api: Api, state: dict[str, Any], question: dict[str, Any], answer: str) -> None:
    body = {"session_id": state["session_id"], "question_id": question["question_id"], "answer": answer}
    response = await api.http.post("/api/task/answer", json=body)
    assert response.status_code == 200, response.text


# faults: B10 D6
async def test_by_default_what_a_task_wrote_is_asked_about_also_over_a_servers_death(
    start_server: StartServer, api_of: ApiOf, model: ModelInThread
) -> None:
    server = start_server()
    api = api_of(server)
    (api.directory / "plant.py").write_text(PLANT)
    first = await api.run("$ python3 plant.py")
    assert first["status"] == "completed"
    again = await api.begin("hello after planting", resume=first["session_id"])
    question = await _question(api, again["task_id"])
    assert (question["kind"], question["type"]) == ("trust", "multiple_choice")
    assert [(each["kind"], each["name"], each["what"]) for each in question["runs"]] == [
        ("hook", "SessionStart", "touch canary")
    ]
    assert question["directory"] == str(api.directory)

    server.kill()
    api = api_of(server.start())
    state = await api.state(again["task_id"])
    assert (state["status"], state["waiting"]["question_ids"]) == ("waiting", [question["question_id"]])
    assert not model.heard("hello after planting")
    await _answer(api, again, question, "without")
    assert (await api.ended(again["task_id"]))["status"] == "completed"
    assert (await api.run("hello, not asked again"))["status"] == "completed"
    assert not (api.directory / "canary").exists()

    directory = {"directory": str(api.directory)}
    [decided] = (await api.http.get("/api/trust")).json()["directories"]
    assert (decided["directory"], decided["decision"]) == (str(api.directory), "without")
    assert (await api.http.delete("/api/trust", params=directory)).json() == {"forgotten": 1}
    trusting = await api.begin("hello with trust")
    await _answer(api, trusting, await _question(api, trusting["task_id"]), "trust")
    assert (await api.ended(trusting["task_id"]))["status"] == "completed"
    assert (api.directory / "canary").exists()


async def test_two_tasks_at_once_are_answered_by_one_answer(start_server: StartServer, api_of: ApiOf) -> None:
    api = api_of(start_server())
    (api.directory / ".mcp.json").write_text("damaged")
    states = [await api.begin("hello") for _ in range(2)]
    questions = [await _question(api, state["task_id"]) for state in states]
    await _answer(api, states[0], questions[0], "without")
    for state in states:
        assert (await api.ended(state["task_id"]))["status"] == "completed"
    late = {"session_id": states[1]["session_id"], "question_id": questions[1]["question_id"], "answer": "trust"}
    refused = (await api.http.post("/api/task/answer", json=late)).json()
    assert (refused["error"], refused["answered_by"], refused["door"]) == ("already_answered", "elsewhere", None)


async def test_whoever_waits_for_the_question_can_stop_the_task(start_server: StartServer, api_of: ApiOf) -> None:
    api = api_of(start_server())
    (api.directory / ".mcp.json").write_text("damaged")
    state = await api.begin("hello")
    await _question(api, state["task_id"])
    assert (await api.stop(state["task_id"]))["status"] == "cancelled"
