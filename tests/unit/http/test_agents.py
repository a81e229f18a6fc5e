"""Sub-agents through the door."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.support.bench import PATIENCE_S
from tests.support.served import Served

from glasshouse.contract.agent import AgentState
from glasshouse.contract.events import Info
from glasshouse.contract.ids import new_id
from glasshouse.contract.task import TaskStatus
from glasshouse.core.ports import Run


class Team:
    """A script whose task has an agent and a command at work, until it is let go."""

    def __init__(self) -> None:
        self.let_go = asyncio.Event()
        self.begun = asyncio.Event()
        self.stopped: list[str] = []

    async def __call__(self, run: Run) -> None:
        async def tell(agent_id: str, state: AgentState) -> None:
            kind, name = ("background", "background_id") if agent_id == "b" else ("agent", "agent_id")
            report = {name: agent_id, "state": state, **({"kind": "local_bash"} if agent_id == "b" else {})}
            await run.emit(Info(content="", metadata={kind: report}, **run.stamp()))

        async def stop(agent_id: str) -> None:
            self.stopped.append(agent_id)
            await tell(agent_id, AgentState.STOPPED)

        run.stops_agents_by(stop)
        for agent_id in ("a", "b"):
            await tell(agent_id, AgentState.RUNNING)
        self.begun.set()
        await self.let_go.wait()


@pytest.fixture
async def team(served: Served) -> Team:
    team = Team()
    served.bench.engine.script = (team,)
    return team


Begin = Callable[[], Awaitable[str]]


@pytest.fixture
def begin(served: Served, team: Team) -> Begin:
    async def begin() -> str:
        task = await served.bench.admit()
        await asyncio.wait_for(team.begun.wait(), PATIENCE_S)
        return task.session_id

    return begin


async def tree(client: httpx.AsyncClient, session_id: str) -> dict[str, Any]:
    answer = await client.get(f"/api/sessions/{session_id}/agents")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def stop(client: httpx.AsyncClient, session_id: str, agent_id: str) -> tuple[int, dict[str, Any]]:
    answer = await client.post(f"/api/sessions/{session_id}/agents/{agent_id}/stop")
    return answer.status_code, answer.json()


async def test_what_is_at_work_is_seen_and_stopped_one_by_one(
    client: httpx.AsyncClient, begin: Begin, team: Team
) -> None:
    session_id = await begin()
    found = await tree(client, session_id.upper())
    assert found["session_id"] == session_id
    assert [(agent["agent_id"], agent["state"]) for agent in found["agents"]] == [("a", "running")]
    assert [(each["background_id"], each["state"]) for each in found["background"]] == [("b", "running")]

    assert await stop(client, session_id, "a") == (200, {"success": True, "agent_id": "a", "state": "stopped"})
    assert (await tree(client, session_id))["background"][0]["state"] == "running"
    assert (await stop(client, session_id, "b"))[1]["state"] == "stopped"
    assert team.stopped == ["a", "b"]


async def test_one_that_has_ended_stays_as_it_is(
    client: httpx.AsyncClient, served: Served, begin: Begin, team: Team
) -> None:
    session_id = await begin()
    await stop(client, session_id, "a")
    assert (await stop(client, session_id, "a"))[1]["state"] == "stopped"
    team.let_go.set()
    [task] = await served.bench.store.tasks(statuses=frozenset(TaskStatus), session_id=session_id)
    await served.bench.ended(task)
    assert (await stop(client, session_id, "b"))[1]["state"] == "stopped"
    assert team.stopped == ["a"]


async def test_one_that_is_not_there_is_not_found(client: httpx.AsyncClient, begin: Begin) -> None:
    status, body = await stop(client, await begin(), "nobody")
    assert (status, body["error"]) == (404, "agent_not_found")


# faults: E5
async def test_sessions_that_may_not_be_seen_are_not_found(client: httpx.AsyncClient, served: Served) -> None:
    outside = served.bench.knows_session(Path("/etc"))
    for session_id in (outside, new_id(), "nonsense", "..%2f..%2fx"):
        answer = await client.get(f"/api/sessions/{session_id}/agents")
        assert answer.status_code == 404, session_id
        assert (await stop(client, session_id, "a"))[0] == 404


async def test_those_of_a_session_in_a_terminal_are_seen_too(client: httpx.AsyncClient, served: Served) -> None:
    session_id = served.bench.knows_session(served.bench.work)
    folder = served.bench.claude_home.transcripts_dir / "-work"
    said = {"type": "user", "cwd": str(served.bench.work), "message": {"content": "Look."}, "timestamp": "2026"}
    for path in (folder / f"{session_id}.jsonl", folder / session_id / "subagents" / "agent-a1.jsonl"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(said, separators=(",", ":")) + "\n")
    [agent] = (await tree(client, session_id))["agents"]
    assert (agent["agent_id"], agent["description"], agent["state"]) == ("a1", "Look.", "unknown")
    assert (await stop(client, session_id, "a1"))[1]["state"] == "unknown"


async def test_a_session_without_agents_has_none(client: httpx.AsyncClient, served: Served) -> None:
    task = await served.bench.do()
    assert await tree(client, task.session_id) == {"session_id": task.session_id, "agents": [], "background": []}
