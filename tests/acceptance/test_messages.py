"""Messages and changes over HTTP, to the real Claude Code of a real server."""

import asyncio
from typing import Any

from tests.acceptance.support.api import Api, Event, Stream
from tests.acceptance.support.model import ModelInThread
from tests.acceptance.support.obedient import HEARD


async def said(api: Api, task_id: str, content: str, mode: str) -> str:
    answer = await api.http.post(f"/api/task/{task_id}/messages", json={"content": content, "mode": mode})
    assert answer.status_code == 202, answer.text
    assert answer.json()["mode"] == mode
    return str(answer.json()["message_id"])


def receipts(events: list[Event], message_id: str) -> list[str]:
    return [event.metadata["receipt"] for event in events if event.metadata.get("message_id") == message_id]


async def until_receipt(stream: Stream, message_id: str, receipt: str) -> None:
    while (await stream.first("info")).metadata.get("receipt") != receipt:
        pass


async def test_a_task_is_steered_and_then_given_more(api: Api, model: ModelInThread) -> None:
    async with api.stream("$ until [ -e go ]; do sleep 0.05; done; echo went on") as stream:
        await stream.first("tool_use")
        steering = await said(api, stream.task_id, "Mind the gap.", "steer")
        await until_receipt(stream, steering, "delivered")
        queued = await said(api, stream.task_id, "What is next?", "queue")
        (api.directory / "go").touch()
        events = await stream.rest()

    words = ["accepted", "delivered", "consumed"]
    assert receipts(events, steering) == words and receipts(events, queued) == words
    shown: list[dict[str, Any]] = [each.metadata["message"] for each in events if "message" in each.metadata]
    assert [(each["content"], each["mode"]) for each in shown] == [
        ("Mind the gap.", "steer"),
        ("What is next?", "queue"),
    ]
    assert model.heard("Mind the gap.")
    assert [each.type for each in events].count("complete") == 1
    assert events[-1].metadata["status"] == "completed"
    state = await api.state(stream.task_id)
    assert state["result"]["message"] == f"{HEARD}What is next?"
    history = (await api.http.get(f"/api/sessions/{state['session_id']}/messages?limit=200")).json()["messages"]
    said_by_people = [each for each in history if each["role"] == "user" and each["input_type"] == "text"]
    assert [each["content"][0]["text"] for each in said_by_people][1:] == ["Mind the gap.", "What is next?"]
    assert said_by_people[-1]["uuid"] == shown[-1]["uuid"]


async def test_another_model_is_asked_from_there_on(api: Api, model: ModelInThread) -> None:
    prompt = f"$ until [ -e go ]; do sleep 0.05; done; echo {api.directory.name}"
    async with api.stream(prompt) as stream:
        await stream.first("tool_use")
        answer = await api.http.patch(f"/api/task/{stream.task_id}", json={"model": "claude-haiku-4-5"})
        assert (answer.status_code, answer.json()["receipt"]) == (200, "consumed"), answer.text
        (api.directory / "go").touch()
        await stream.rest()

    asked = [body["model"] for body in model.heard(api.directory.name) if body.get("tools")]
    assert asked[0] != "claude-haiku-4-5" and asked[-1] == "claude-haiku-4-5"


async def test_an_end_and_messages_at_once_leave_one_end_and_no_message_without_its_fate(api: Api) -> None:
    # faults: F7
    for _ in range(8):
        task = await api.begin("$ true")

        async def talk(task_id: str = task["task_id"]) -> list[str]:
            ids = []
            for number in range(10):
                body = {"content": f"Number {number}.", "mode": "steer" if number % 2 else "queue"}
                answer = await api.http.post(f"/api/task/{task_id}/messages", json=body)
                if answer.status_code == 409:
                    break
                ids.append(answer.json()["message_id"])
            return ids

        ids, events = await asyncio.gather(talk(), api.events(task["task_id"]))
        assert [event.type for event in events].count("complete") == 1 and events[-1].type == "complete"
        assert [receipts(events, each)[-1] for each in ids] == ["consumed"] * len(ids)
