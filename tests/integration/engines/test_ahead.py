"""One process is connected before it is asked, for the next session that begins like the last one did."""

import asyncio
import json
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from tests.integration.engines.claude_codes import claude_codes, until
from tests.integration.engines.stage import PROMPT, RecordedRun, Stage, write_json

from glasshouse.contract.task import TaskRequest
from glasshouse.core.settings import Trust
from glasshouse.engines.claude import ClaudeEngine
from glasshouse.testing.offline_model import Say


@pytest.fixture
async def engine(stage: Stage) -> AsyncIterator[ClaudeEngine]:
    engine = stage.engine(warm=3, trust="always")
    yield engine
    await engine.close()
    assert not claude_codes(stage)
    assert not list((stage.root / "runs").iterdir())


def new_session(stage: Stage, engine: ClaudeEngine, directory: Path | None = None, **fields: Any) -> str:
    request = TaskRequest.model_validate({"prompt": PROMPT, **fields})
    return engine.new_session(request, str(directory or stage.project), deltas=False, offline=False)


async def begun(stage: Stage, engine: ClaudeEngine, prompt: str = PROMPT, **fields: Any) -> tuple[RecordedRun, int]:
    """A task that began a session, and the process that is connected once it has ended."""
    before = claude_codes(stage)
    run = await stage.do(stage.run(Say("One."), prompt=prompt, **fields), engine)
    await until(lambda: len(claude_codes(stage) - before) == 2)
    _, ahead = sorted(claude_codes(stage) - before)
    return run, ahead


async def offered(stage: Stage, engine: ClaudeEngine, **fields: Any) -> str:
    """The session of the process that is connected ahead: a new one each time, until it is there."""
    async with asyncio.timeout(20):
        while True:
            session_id = new_session(stage, engine, **fields)
            if session_id in kept(engine):
                return session_id
            await asyncio.sleep(0.02)


def kept(engine: ClaudeEngine) -> set[str]:
    workshop = engine._workshop
    return set() if workshop is None else set(workshop.warm._kept)


async def test_the_next_session_there_is_begun_by_the_process_that_waits(stage: Stage, engine: ClaudeEngine) -> None:
    one, ahead = await begun(stage, engine)
    session_id = await offered(stage, engine)
    run = stage.run(Say("Two."), prompt="Another.", session_id=session_id)
    two = await stage.do(run, engine)

    assert session_id != one.task.session_id
    assert two.outcome.message == "Two." and two.reported["session_id"] == session_id
    assert ahead in claude_codes(stage)
    assert len(list(stage.home.transcripts_dir.glob(f"*/{session_id}.jsonl"))) == 1


async def test_its_session_is_given_away_once(stage: Stage, engine: ClaudeEngine) -> None:
    await begun(stage, engine)
    session_id = await offered(stage, engine)

    assert new_session(stage, engine) != session_id


@pytest.mark.parametrize("fields", [{"permission_mode": "plan"}, {"tools": ["Read"]}, {"model": "haiku"}])
async def test_it_is_not_for_a_task_that_wants_something_else(
    stage: Stage, engine: ClaudeEngine, fields: dict[str, Any]
) -> None:
    await begun(stage, engine)
    await until(lambda: engine._workshop is not None and engine._workshop.ahead._offer is not None)

    assert new_session(stage, engine, **fields) not in kept(engine)
    assert new_session(stage, engine, directory=stage.root) not in kept(engine)
    assert new_session(stage, engine) in kept(engine)


def _make_repository(directory: Path) -> None:
    subprocess.run(["git", "init", "-q", str(directory)], check=True)


@pytest.mark.parametrize("change", ["CLAUDE.md", "work.txt"])
async def test_what_it_has_read_is_not_what_is_there(stage: Stage, engine: ClaudeEngine, change: str) -> None:
    """The instructions, and the state of the repository, which it has told its model already."""
    _make_repository(stage.project)
    _, ahead = await begun(stage, engine)
    session_id = await offered(stage, engine)
    (stage.project / change).write_text("Speak softly.")
    two = await stage.do(stage.run(Say("Two."), prompt="Another.", session_id=session_id), engine)

    assert two.outcome.message == "Two." and two.reported["session_id"] == session_id
    assert ahead not in claude_codes(stage)
    assert ("Speak softly." if change == "CLAUDE.md" else "work.txt") in json.dumps(stage.asked[-1])


async def _settled(stage: Stage, engine: ClaudeEngine) -> None:
    """Whatever was to be connected is."""
    workshop = engine._workshop
    assert workshop is not None
    connecting = workshop.ahead._connecting
    if connecting is not None:
        await asyncio.wait({connecting})


@pytest.mark.parametrize(("trust", "warm"), [("never", 3), ("always", 1), ("always", 0)])
async def test_nothing_is_connected_where_nobody_trusts_or_there_is_no_room(
    stage: Stage, trust: Trust, warm: int
) -> None:
    engine = stage.engine(warm=warm, trust=trust)
    await stage.do(stage.run(Say("One.")), engine)
    await _settled(stage, engine)

    assert len(claude_codes(stage)) == min(warm, 1)
    await engine.close()


async def test_nothing_is_connected_where_a_start_does_something(stage: Stage, engine: ClaudeEngine) -> None:
    hook = {"hooks": [{"type": "command", "command": f"echo ran >> {stage.root}/ledger"}]}
    write_json(stage.project / ".claude" / "settings.json", {"hooks": {"SessionStart": [hook]}})
    await stage.do(stage.run(Say("One.")), engine)
    await _settled(stage, engine)

    assert len(claude_codes(stage)) == 1
    assert (stage.root / "ledger").read_text() == "ran\n"


async def test_one_directory_at_a_time(stage: Stage, engine: ClaudeEngine) -> None:
    await begun(stage, engine)
    await offered(stage, engine)
    elsewhere = stage.root / "elsewhere"
    elsewhere.mkdir()
    await stage.do(stage.run(Say("There."), prompt="There.", working_dir=elsewhere), engine)
    await _settled(stage, engine)
    request = TaskRequest.model_validate({"prompt": PROMPT})
    session_id = engine.new_session(request, str(elsewhere), deltas=False, offline=False)

    assert session_id in kept(engine)


async def test_a_server_that_goes_ends_one_that_is_being_connected(stage: Stage, engine: ClaudeEngine) -> None:
    await stage.do(stage.run(Say("One."), session_id=str(uuid4())), engine)
    await engine.close()

    assert claude_codes(stage) == set()
