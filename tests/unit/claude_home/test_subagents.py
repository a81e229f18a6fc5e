"""What is kept of sub-agents, as older and newer versions keep it, and as files can be. The real form is held by
tests/integration/engines."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from glasshouse.claude_home import ClaudeHome, SubAgents
from glasshouse.contract.agent import Agent, AgentState

SESSION = "11111111-1111-4111-8111-111111111111"


class Kept:
    def __init__(self, root: Path) -> None:
        self.home = ClaudeHome.at(root / "claude")
        self.folder = self.home.transcripts_dir / "-work"
        self.agents = self.folder / SESSION / "subagents"
        self.agents.mkdir(parents=True)
        self.session = self.folder / f"{SESSION}.jsonl"
        self.says(self.session, line("user", "Do it."))

    def says(self, path: Path, *lines: Any) -> None:
        texts = (each if isinstance(each, str) else json.dumps(each, separators=(",", ":")) for each in lines)
        path.write_text("".join(f"{text}\n" for text in texts))

    def sheet(self, name: str, **facts: Any) -> None:
        (self.agents / f"agent-{name}.meta.json").write_text(json.dumps(facts))

    async def found(self) -> list[Agent]:
        return await SubAgents(home=self.home, offline_home=ClaudeHome.at(self.home.config_dir / "none")).of(SESSION)


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(tmp_path)


def line(kind: str, content: Any, **more: Any) -> dict[str, Any]:
    side = {"parentUuid": None, "isSidechain": False, "sessionId": SESSION, "cwd": "/work", "type": kind}
    return {
        **side,
        "uuid": "u",
        "timestamp": "2026-01-01T00:00:01Z",
        "message": {"role": kind, "content": content},
        **more,
    }


def reply(
    message_id: str, *blocks: dict[str, Any], tokens: int = 10, stop: str | None = None, **more: Any
) -> dict[str, Any]:
    said = line("assistant", list(blocks), **more)
    said["message"] |= {"id": message_id, "model": "m", "stop_reason": stop, "usage": {"input_tokens": tokens}}
    return said


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(name: str, call_id: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": {}}


async def test_a_file_and_its_sheet_tell_of_an_agent(kept: Kept) -> None:
    kept.says(
        kept.agents / "agent-a1.jsonl",
        line("user", "Look around.", timestamp="2026-01-01T00:00:01Z"),
        {"type": "api-request", "params": {"type": "assistant"}},
        reply("m1", text("I look."), tokens=10),
        reply("m1", call("Bash", "c1"), tokens=12),
        reply("m2", text("Found."), tokens=20, stop="end_turn", timestamp="2026-01-01T00:00:09Z"),
    )
    kept.sheet("a1", agentType="Explore", description="look", toolUseId="call", spawnDepth=1, finished=True)
    [agent] = await kept.found()
    assert (agent.agent_id, agent.type, agent.description, agent.tool_use_id) == ("a1", "Explore", "look", "call")
    assert (agent.state, agent.steps, agent.last_tool, agent.summary) == (AgentState.COMPLETED, 1, "Bash", "Found.")
    assert (agent.started_at, agent.ended_at) == ("2026-01-01T00:00:01Z", "2026-01-01T00:00:09Z")
    # A message's count is repeated on each of its lines.
    assert agent.usage is not None
    assert (agent.model, agent.usage.input_tokens, agent.cost_usd) == ("m", 32, None)


@pytest.mark.parametrize(
    ("sheet", "stop", "state"),
    [
        ({"stoppedByUser": True}, None, AgentState.STOPPED),
        ({"finished": True}, None, AgentState.COMPLETED),
        ({}, "end_turn", AgentState.COMPLETED),
        ({}, "tool_use", AgentState.UNKNOWN),
        ({}, None, AgentState.UNKNOWN),
    ],
)
async def test_how_it_ended_is_told_only_where_it_is_known(
    kept: Kept, sheet: dict[str, Any], stop: str | None, state: AgentState
) -> None:
    kept.says(kept.agents / "agent-a.jsonl", line("user", "Go."), reply("m", text("x"), stop=stop))
    kept.sheet("a", **sheet)
    [agent] = await kept.found()
    assert agent.state is state
    assert (agent.ended_at is None) is (state is AgentState.UNKNOWN)


async def test_one_below_another_names_it(kept: Kept) -> None:
    for name in ("a", "b"):
        kept.says(kept.agents / f"agent-{name}.jsonl", line("user", name))
    kept.sheet("b", parentAgentId="a")
    assert {agent.agent_id: agent.parent for agent in await kept.found()} == {"a": None, "b": "a"}


async def test_files_of_older_versions_lie_among_the_sessions(kept: Kept) -> None:
    kept.says(kept.folder / "agent-old.jsonl", line("user", "\n  Mine.\nmore", isSidechain=True))
    kept.says(kept.folder / "agent-other.jsonl", line("user", "Another's.", sessionId="other"))
    [agent] = await kept.found()
    assert (agent.agent_id, agent.description) == ("old", "Mine.")


async def test_side_chains_of_still_older_ones_are_in_the_conversation(kept: Kept) -> None:
    kept.says(
        kept.session,
        line("user", "Do it."),
        line("user", "One.", isSidechain=True, uuid="s1"),
        line("user", "Two.", isSidechain=True, uuid="s2", timestamp="2026-01-01T00:00:02Z"),
        reply("m1", call("Read", "c"), isSidechain=True, uuid="s3", parentUuid="s1"),
        reply("m2", text("Done."), isSidechain=True, uuid="s4", parentUuid="s3", stop="end_turn"),
    )
    first, second = await kept.found()
    assert (first.agent_id, first.description, first.steps, first.summary) == ("s1", "One.", 1, "Done.")
    assert (second.agent_id, second.state) == ("s2", AgentState.UNKNOWN)


async def test_damaged_lines_are_passed_over(kept: Kept) -> None:
    """faults: E1 E2"""
    kept.says(
        kept.agents / "agent-a.jsonl",
        '{"type":"user","message":',
        '{"type":"user","message":"words"}',
        '["type":"assistant"]',
        "\0" * 300,
        line("user", [None, 3, text("Go.")]),
        line("assistant", None),
        '{"type":"assistant","message":{"id":1,"usage":{"input_tokens":"many"},"content":[{"type":"tool_use"}]}}',
    )
    (kept.agents / "agent-a.meta.json").write_text("[]")
    [agent] = await kept.found()
    assert (agent.description, agent.steps, agent.state) == ("Go.", 1, AgentState.UNKNOWN)


async def test_only_files_of_agents_in_their_place_are_read(kept: Kept) -> None:
    """faults: B3 B5 E5"""
    outside = kept.home.config_dir / "agent-out.jsonl"
    kept.says(outside, line("user", "secret"))
    (kept.agents / "agent-out.jsonl").symlink_to(outside)
    (kept.agents / "folder").symlink_to(outside.parent)
    (kept.agents / "agent-folder.jsonl").mkdir()
    os.mkfifo(kept.agents / "agent-fifo.jsonl")
    kept.says(kept.agents / "agent-b c.jsonl", line("user", "x"))
    kept.says(kept.agents / "agent-empty.jsonl")
    assert await kept.found() == []


async def test_of_a_session_that_is_not_there_nothing_is_found(kept: Kept) -> None:
    kept.session.unlink()
    assert await kept.found() == []
