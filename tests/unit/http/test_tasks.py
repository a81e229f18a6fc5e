"""Tasks over HTTP: begun and awaited, looked at, stopped."""

import asyncio

import httpx
import pytest
from tests.support.served import Served

from glasshouse.contract.ids import new_id
from glasshouse.contract.task import Failure, TaskStatus
from glasshouse.core.ports import Outcome
from glasshouse.testing.scripted_engine import Gate, calls, ends, fails, gets, is_limited, says, waits_at


class TestDoingATask:
    async def test_the_answer_is_what_came_of_it(self, served: Served, client: httpx.AsyncClient) -> None:
        served.bench.engine.script = (
            calls("Write", "t1"),
            gets("t1", files_changed=["a.py"]),
            ends(Outcome(message="written", cost_usd=0.5, num_turns=2)),
        )

        answer = await client.post("/api/task", json={"prompt": "write it"})

        assert answer.status_code == 200
        body = answer.json()
        assert body["task_id"] == answer.headers["x-task-id"]
        assert body["session_id"]
        assert {name: body[name] for name in body if not name.endswith("_id")} == {
            "success": True,
            "message": "written",
            "cost_usd": 0.5,
            "duration_ms": 0,
            "files_changed": ["a.py"],
            "tools_used": ["Write"],
            "status": "completed",
        }

    async def test_a_task_that_ran_and_failed_is_200_without_success(
        self, served: Served, client: httpx.AsyncClient
    ) -> None:
        served.bench.engine.script = (fails(Failure.USAGE_LIMIT, "no more"),)

        answer = await client.post("/api/task", json={"prompt": "x"})

        assert answer.status_code == 200
        assert (answer.json()["success"], answer.json()["status"]) == (False, "failed")
        assert answer.json()["message"] == "no more"

    async def test_a_long_message_is_whole(self, served: Served, client: httpx.AsyncClient) -> None:
        served.bench.engine.script = (ends(Outcome(message="字" * 200_000)),)

        answer = await client.post("/api/task", json={"prompt": "x"})

        assert answer.json()["message"] == "字" * 200_000

    async def test_the_same_task_id_again_gives_the_same_answer_and_does_nothing(
        self, served: Served, client: httpx.AsyncClient
    ) -> None:
        body = {"prompt": "x", "task_id": new_id()}

        answers = await asyncio.gather(*(client.post("/api/task", json=body) for _ in range(20)))

        assert len({answer.text for answer in answers}) == 1
        assert len(served.bench.engine.told) == 1


class TestWaiting:
    async def test_wait_zero_answers_at_once_with_the_state(self, served: Served, client: httpx.AsyncClient) -> None:
        served.bench.engine.script = (waits_at(Gate()),)

        answer = await client.post("/api/task", json={"prompt": "x", "wait_s": 0})

        assert answer.status_code == 202
        state = answer.json()
        assert state["status"] in ("queued", "running")
        assert state["task_id"] == answer.headers["x-task-id"]
        assert state["working_dir"] == str(served.bench.work)

    async def test_the_task_goes_on_after_the_wait(self, served: Served, client: httpx.AsyncClient) -> None:
        gate = Gate()
        served.bench.engine.script = (waits_at(gate),)
        body = {"prompt": "x", "task_id": new_id()}

        assert (await client.post("/api/task", json={**body, "wait_s": 0.01})).json()["status"] == "running"
        gate.open()

        assert (await client.post("/api/task", json=body)).json()["status"] == "completed"

    async def test_one_that_ends_in_time_is_answered_in_full(self, client: httpx.AsyncClient) -> None:
        answer = await client.post("/api/task", json={"prompt": "x", "wait_s": 60})

        assert (answer.status_code, answer.json()["status"]) == (200, "completed")

    async def test_one_that_had_ended_is_answered_in_full_without_any_wait(self, client: httpx.AsyncClient) -> None:
        body = {"prompt": "x", "task_id": new_id()}
        await client.post("/api/task", json=body)

        answer = await client.post("/api/task", json={**body, "wait_s": 0})

        assert (answer.status_code, answer.json()["status"]) == (200, "completed")

    async def test_a_server_that_goes_says_so(self, served: Served, client: httpx.AsyncClient) -> None:
        gate = Gate()
        served.bench.engine.script = (waits_at(gate),)
        asking = asyncio.create_task(client.post("/api/task", json={"prompt": "x"}))
        await gate.reached.wait()

        await served.services.drain()

        answer = await asking
        assert (answer.status_code, answer.json()["error"]) == (503, "unavailable")
        assert answer.headers["retry-after"] == "5"


class TestTheCallerGoes:
    @pytest.mark.parametrize(
        ("on_disconnect", "status"), [("continue", TaskStatus.RUNNING), ("stop", TaskStatus.CANCELLED)]
    )
    async def test_the_task_goes_on_unless_the_request_said_stop(
        self, served: Served, on_disconnect: str, status: TaskStatus
    ) -> None:
        gate = Gate()
        served.bench.engine.script = (waits_at(gate),)
        body = {"prompt": "x", "task_id": new_id(), "on_disconnect": on_disconnect}
        call = served.call("POST", "/api/task", body)
        await gate.reached.wait()

        await call.leave()

        record = await served.services.store.task(body["task_id"])
        assert record is not None
        assert record.status is status


class TestState:
    async def test_it_shows_a_task_at_this_moment(self, served: Served, client: httpx.AsyncClient) -> None:
        gate = Gate()
        served.bench.engine.script = (waits_at(gate),)
        task = await served.bench.admit()
        await gate.reached.wait()

        answer = await client.get(f"/api/task/{task.task_id}")

        assert answer.json() == {
            "task_id": task.task_id,
            "session_id": task.session_id,
            "status": "running",
            "engine": "claude",
            "working_dir": str(served.bench.work),
            "created_at": "2026-01-02T03:04:05.678Z",
            "started_at": "2026-01-02T03:04:05.678Z",
            "ended_at": None,
            "offline": False,
            "stalled": None,
            "waiting": None,
            "parked": None,
            "cost_usd": None,
            "result": None,
        }

    async def test_silence_shows(self, served: Served, client: httpx.AsyncClient) -> None:
        gate = Gate()
        served.bench.engine.script = (waits_at(gate),)
        task = await served.bench.admit()
        await gate.reached.wait()
        served.bench.clock.pass_by(60)

        answer = await client.get(f"/api/task/{task.task_id}")

        assert answer.json()["stalled"] == {"since": "2026-01-02T03:04:05.678Z"}

    async def test_an_ended_task_shows_what_came_of_it(self, served: Served, client: httpx.AsyncClient) -> None:
        task = await served.bench.do()

        answer = await client.get(f"/api/task/{task.task_id.upper()}")

        assert answer.json()["result"]["success"] is True
        assert answer.json()["result"]["message"] == "done"


class TestStopping:
    async def test_it_answers_when_the_task_is_over(self, served: Served, client: httpx.AsyncClient) -> None:
        gate = Gate()
        served.bench.engine.script = (waits_at(gate),)
        task = await served.bench.admit()
        await gate.reached.wait()

        answer = await client.delete(f"/api/task/{task.task_id}")

        assert (answer.status_code, answer.json()["status"]) == (200, "cancelled")

    async def test_one_that_had_ended_stays_as_it_is(self, served: Served, client: httpx.AsyncClient) -> None:
        task = await served.bench.do()

        answer = await client.delete(f"/api/task/{task.task_id}")

        assert (answer.status_code, answer.json()["status"]) == (200, "completed")

    async def test_who_awaits_it_gets_its_end(self, served: Served, client: httpx.AsyncClient) -> None:
        gate = Gate()
        served.bench.engine.script = (waits_at(gate),)
        body = {"prompt": "x", "task_id": new_id()}
        asking = asyncio.create_task(client.post("/api/task", json=body))
        await gate.reached.wait()

        await client.delete(f"/api/task/{body['task_id']}")

        answer = await asking
        assert (answer.status_code, answer.json()["status"], answer.json()["success"]) == (200, "cancelled", False)


@pytest.mark.parametrize("method", ["GET", "DELETE"])
@pytest.mark.parametrize("path", ["/api/task/{}", "/api/task/{}/stream"])
@pytest.mark.parametrize(
    "task_id", ["none", "00000000-0000-4000-8000-000000000000", "%00", "..", "{}", "1' OR 1=1", "a" * 5000]
)
async def test_a_task_that_is_not_there_is_not_found(
    client: httpx.AsyncClient, method: str, path: str, task_id: str
) -> None:
    answer = await client.request(method, path.format(task_id))

    assert answer.status_code in (404, 405)
    assert answer.json()["error"] in ("task_not_found", "not_found", "method_not_allowed")


class TestParked:
    async def test_it_says_so_and_goes_on_when_it_is_told_to(self, served: Served, client: httpx.AsyncClient) -> None:
        served.bench.engine.script = (is_limited(), says("here again"))
        task = await served.bench.admit(on_limit="park")
        await served.bench.parked(task)
        state = (await client.get(f"/api/task/{task.task_id}")).json()
        assert (state["status"], state["parked"]["reason"], state["parked"]["until"]) == ("parked", "usage_limit", None)

        answer = await client.post(f"/api/task/{task.task_id}/continue")

        assert answer.status_code == 200
        assert answer.json()["parked"]["resumes"] is True
        assert (await served.bench.ended(task)).status is TaskStatus.COMPLETED
        again = await client.post(f"/api/task/{task.task_id}/continue")
        assert (again.status_code, again.json()["status"]) == (200, "completed")

    @pytest.mark.parametrize("task_id", ["x", "00000000-0000-4000-8000-000000000000"])
    async def test_what_nobody_knows_is_404(self, client: httpx.AsyncClient, task_id: str) -> None:
        answer = await client.post(f"/api/task/{task_id}/continue")
        assert (answer.status_code, answer.json()["error"]) == (404, "task_not_found")
