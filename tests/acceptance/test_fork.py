"""Forks on real servers with the real Claude Code."""

from pathlib import Path
from typing import Any

from tests.acceptance.conftest import ApiOf, StartServer
from tests.acceptance.support.api import Api
from tests.acceptance.support.model import ModelInThread
from tests.acceptance.support.obedient import steps


async def forked(api: Api, session_id: str) -> dict[str, Any]:
    answer = await api.http.post(f"/api/sessions/{session_id}/fork")
    assert answer.status_code == 201, answer.text
    told: dict[str, Any] = answer.json()
    return told


def conversation(model: ModelInThread, prompt: str) -> str:
    """What the model was last told when it was asked this."""
    return str(model.heard(prompt)[-1]["messages"])


def transcript(home: Path, session_id: str) -> bytes:
    [path] = (home / "claude" / "projects").rglob(f"{session_id}.jsonl")
    return path.read_bytes()


async def test_a_fork_goes_on_from_where_it_was_made_and_leaves_the_first_alone(
    model: ModelInThread, start_server: StartServer, api_of: ApiOf
) -> None:
    server = start_server()
    api = api_of(server)
    first = await api.run("remember plum")
    fork = await forked(api, first["session_id"])
    assert fork["forked_from"]["session_id"] == first["session_id"] and fork["forked_from"]["message_id"]
    later = await api.run("remember pear", resume=first["session_id"])

    # It is as durable as everything.
    server.kill()
    api = api_of(server.start())
    before = transcript(server.home, first["session_id"])
    one = await api.run("what is in the fork?", resume=fork["session_id"])
    two = await api.run("and now?", resume=fork["session_id"])

    assert one["success"] and two["success"] and one["session_id"] == fork["session_id"]
    for asked in ("what is in the fork?", "and now?"):
        told = conversation(model, asked)
        assert "remember plum" in told and "remember pear" not in told
    assert "what is in the fork?" in conversation(model, "and now?")
    assert transcript(server.home, first["session_id"]) == before
    # What the first one cost is not in what its fork costs.
    assert 0 < one["cost_usd"] < 1.5 * later["cost_usd"]

    on = await api.run("still without it?", resume=first["session_id"])
    assert on["success"] and "what is in the fork?" not in conversation(model, "still without it?")


async def test_a_session_that_waits_for_a_person_is_forked_before_its_question(
    start_server: StartServer, api_of: ApiOf, model: ModelInThread
) -> None:
    api = api_of(start_server())
    first = await api.run("remember plum")
    waiting = await api.begin(steps("$ touch asked"), resume=first["session_id"], tools=None)
    async with api.follow(waiting["task_id"]) as stream:
        await stream.first("ask_user_question")
        fork = await forked(api, first["session_id"])
        one = await api.run("and in the fork?", resume=fork["session_id"], tools=[])
        assert one["success"], one
    assert "remember plum" in conversation(model, "and in the fork?")
    assert (await api.state(waiting["task_id"]))["status"] == "waiting"
    await api.stop(waiting["task_id"])


async def test_what_is_not_there_cannot_be_forked(api: Api) -> None:
    for session_id in ("x", "00000000-0000-4000-8000-000000000000"):
        answer = await api.http.post(f"/api/sessions/{session_id}/fork")
        assert (answer.status_code, answer.json()["error"]) == (404, "session_not_found")
