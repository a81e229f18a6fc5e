"""What a task costs, on real servers with the real Claude Code: told while it runs, kept over a crash, bounded."""

import asyncio
from typing import Any

from tests.acceptance.conftest import ApiOf, StartServer
from tests.acceptance.support.api import WITHIN_S, Api
from tests.acceptance.support.obedient import steps
from tests.acceptance.support.processes import until

LAST = "$ touch begun; sleep 98765"


async def told_cost(api: Api, task_id: str) -> dict[str, Any]:
    """Once the last command runs, and the state says what the task has cost."""
    await until((api.directory / "begun").exists)
    async with asyncio.timeout(WITHIN_S):
        while True:
            state = await api.state(task_id)
            if state["cost_usd"] is not None:
                return state
            await asyncio.sleep(0.05)


# faults: I1
async def test_what_a_task_had_cost_survives_the_server(start_server: StartServer, api_of: ApiOf) -> None:
    server = start_server()
    api = api_of(server)
    begun = await api.begin(steps("$ true", LAST))
    running = await told_cost(api, begun["task_id"])
    assert running["status"] == "running" and running["cost_usd"] > 0

    server.kill()
    api = api_of(server.start())

    state = await api.ended(begun["task_id"])
    assert state["status"] == "interrupted"
    assert state["cost_usd"] == state["result"]["cost_usd"] >= running["cost_usd"]
    # What comes after it is counted for itself.
    after = await api.run("and now?", resume=begun["session_id"])
    assert 0 < after["cost_usd"] < state["cost_usd"]


async def test_a_task_that_is_stopped_says_what_it_has_cost(api: Api) -> None:
    begun = await api.begin(steps("$ true", LAST))
    running = await told_cost(api, begun["task_id"])
    stopped = await api.stop(begun["task_id"])
    assert stopped["status"] == "cancelled"
    assert stopped["result"]["cost_usd"] >= running["cost_usd"] > 0


async def test_a_budget_ends_a_task_with_a_failure_of_its_own(api: Api) -> None:
    answer = await api.run(steps(*["$ echo x >> ledger"] * 30), max_budget_usd=0.000_001)
    assert not answer["success"] and answer["status"] == "failed"
    assert answer["message"].startswith("The budget of $1e-06 is used up: it has cost $0.")
    assert answer["cost_usd"] > 0.000_001
    [error] = [event for event in await api.events(answer["task_id"]) if event.type == "error"]
    assert error.metadata["error"] == "budget_exceeded"
    ledger = api.directory / "ledger"
    assert not ledger.exists() or len(ledger.read_text().splitlines()) <= 2
