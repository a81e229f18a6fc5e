"""Messages and changes over HTTP: taken, repeated, refused."""

from typing import Any

import httpx
import pytest
from tests.support.served import Served

from glasshouse.contract.ids import new_id
from glasshouse.testing.scripted_engine import Gate, listens, waits_at


async def waiting_task(served: Served) -> str:
    gate = Gate()
    served.bench.engine.script = (waits_at(gate),)
    task = await served.bench.admit()
    await gate.reached.wait()
    return task.task_id


class TestMessages:
    @pytest.mark.parametrize("mode", ["queue", "steer"])
    async def test_it_is_taken_and_the_answer_says_how(
        self, served: Served, client: httpx.AsyncClient, mode: str
    ) -> None:
        served.bench.engine.script = (listens(),)
        task = await served.bench.admit()

        answer = await client.post(f"/api/task/{task.task_id}/messages", json={"content": "and this", "mode": mode})

        assert answer.status_code == 202
        body = answer.json()
        assert (body["task_id"], body["mode"], body["receipt"]) == (task.task_id, mode, "accepted")
        await served.bench.ended(task)
        told = [event["metadata"] for event in await served.bench.events(task) if event["type"] == "info"]
        assert [each["receipt"] for each in told if each.get("message_id") == body["message_id"]] == [
            "accepted",
            "delivered",
            "consumed",
        ]

    async def test_the_callers_own_id_makes_it_repeatable(self, served: Served, client: httpx.AsyncClient) -> None:
        task_id, message_id = await waiting_task(served), new_id()
        body = {"content": "once", "mode": "queue", "message_id": message_id.upper()}

        answers = [await client.post(f"/api/task/{task_id}/messages", json=body) for _ in range(3)]

        assert {answer.status_code for answer in answers} == {202}
        assert {answer.json()["message_id"] for answer in answers} == {message_id}
        assert len(await served.bench.store.instructions(task_id)) == 1

    @pytest.mark.parametrize(
        "wrong",
        [
            {},
            {"content": "x"},
            {"mode": "steer"},
            {"content": "", "mode": "steer"},
            {"content": " \n", "mode": "steer"},
            {"content": "a\0b", "mode": "steer"},
            {"content": "x" * 10_001, "mode": "steer"},
            {"content": ["x"], "mode": "steer"},
            {"content": "x", "mode": "now"},
            {"content": "x", "mode": "steer", "message_id": "$(touch canary)"},
            {"content": "x", "mode": "steer", "priority": "now"},
        ],
    )
    async def test_what_is_no_message_is_refused_and_not_recorded(
        self, served: Served, client: httpx.AsyncClient, wrong: dict[str, Any]
    ) -> None:
        # faults: C1
        task_id = await waiting_task(served)

        answer = await client.post(f"/api/task/{task_id}/messages", json=wrong)

        assert (answer.status_code, answer.json()["error"]) == (422, "invalid_request")
        assert not await served.bench.store.instructions(task_id)

    @pytest.mark.parametrize("task_id", ["nonsense", "0b7a3a4e-3d0c-4b52-9f5b-0a4d4c0a9a11"])
    async def test_an_unknown_task_is_not_found(self, client: httpx.AsyncClient, task_id: str) -> None:
        said = await client.post(f"/api/task/{task_id}/messages", json={"content": "x", "mode": "steer"})
        changed = await client.patch(f"/api/task/{task_id}", json={"model": "m"})

        assert [answer.json()["error"] for answer in (said, changed)] == ["task_not_found"] * 2


class TestChanges:
    async def test_a_queued_task_remembers_it(self, served: Served, client: httpx.AsyncClient) -> None:
        gate = Gate()
        served.bench.engine.script = (waits_at(gate),)
        first = await served.bench.admit()
        await gate.reached.wait()
        second = await served.bench.admit(resume=first.session_id, queue=True)

        answer = await client.patch(f"/api/task/{second.task_id}", json={"permission_mode": "plan", "model": "haiku"})

        assert answer.status_code == 202
        assert answer.json() == {
            "task_id": second.task_id,
            "permission_mode": "plan",
            "model": "haiku",
            "receipt": "accepted",
        }
        gate.open()
        await served.bench.ended(second)
        told = served.bench.engine.told[-1]
        assert (told.permission_mode, told.model) == ("plan", "haiku")

    @pytest.mark.parametrize(
        "wrong",
        [
            {},
            {"permission_mode": None},
            {"permission_mode": "auto"},
            {"permission_mode": "bypassPermissions"},
            {"model": "--dangerously-skip-permissions"},
            {"model": "$(touch canary)"},
            {"cli_path": "/bin/sh"},
        ],
    )
    async def test_what_may_not_be_changed_is_refused(
        self, served: Served, client: httpx.AsyncClient, wrong: dict[str, Any]
    ) -> None:
        # faults: C1 C3
        task_id = await waiting_task(served)

        answer = await client.patch(f"/api/task/{task_id}", json=wrong)

        assert (answer.status_code, answer.json()["error"]) == (422, "invalid_request")
        assert not await served.bench.store.instructions(task_id)
