"""A server is killed at every moment of a message's way; what became of the message is told, truly, and it is consumed
once at the most."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from tests.acceptance.questions.lives import Lives

from glasshouse.adapters.processes import SupervisedProcesses
from glasshouse.testing.offline_model import Call, Say, played

CONTENT = "Mind the gap."


@pytest.fixture
async def lives(tmp_path: Path) -> AsyncIterator[Lives]:
    lives = Lives(tmp_path, Path(__file__).with_name("life.py"))
    yield lives
    await lives.model.stop()
    await SupervisedProcesses(tmp_path / "launcher", lives.identity).sweep()


async def lived(lives: Lives, *, point: str, mode: str, asks: bool = False) -> dict[str, Any]:
    return await lives.live(point=point, mode=mode, asks=asks, content=CONTENT, message_id=str(uuid4()))


def consumed(root: Path) -> int:
    """How often Claude Code's own record has the message as told to the model."""
    lines = [json.loads(line) for path in root.rglob("projects/*/*.jsonl") for line in path.open()]
    joined = [line for line in lines if (line.get("attachment") or {}).get("prompt") == CONTENT]
    own = [line for line in lines if line["type"] == "user" and line["message"]["content"] == CONTENT]
    return len(joined) + len(own)


def waits(root: Path) -> Call:
    command = f"until [ -e {root}/go ]; do sleep 0.05; done; echo went on"
    return Call("Bash", {"command": command, "description": "wait"})


@pytest.mark.parametrize("mode", ["steer", "queue"])
@pytest.mark.parametrize("point", ["accepted", "delivered", "given", "taken", "consumed"])
async def test_of_an_interrupted_task_the_conversation_decides(lives: Lives, point: str, mode: str) -> None:
    # faults: I2
    lives.plays((waits(lives.root),), Say("Done."), Say("Done again."))
    lives.scripts.append(played(CONTENT, Say("Minded.")))
    report = await lived(lives, point=point, mode=mode)

    assert (lives.root / "died").exists()
    assert (report["status"], report["completes"]) == ("interrupted", 1)
    assert report["receipts"][0] == "accepted"
    assert report["receipts"][-1] == ("consumed" if consumed(lives.root) else "refused")
    assert len(report["receipts"]) == len(set(report["receipts"]))
    if point in ("accepted", "delivered"):
        assert report["receipts"][-1] == "refused"
    if point == "consumed":
        assert report["receipts"][-1] == "consumed"


@pytest.mark.parametrize("point", ["accepted", "delivered", "given", "taken", "consumed"])
async def test_of_a_task_that_goes_on_the_message_is_consumed_once(lives: Lives, point: str) -> None:
    # faults: I2
    lives.plays((lives.notes("one"),), (lives.notes("one"),), Say("Thanks."))
    report = await lived(lives, point=point, mode="steer", asks=True)

    assert (lives.root / "died").exists()
    if report["status"] == "completed":
        assert report["receipts"][-1] == "consumed"
        assert consumed(lives.root) == 1
        assert lives.ledger == ["one"]
    else:
        # Dead after its permission was spent: it is not run again by itself.
        assert point in ("taken", "consumed")
        assert report["receipts"][-1] == ("consumed" if consumed(lives.root) else "refused")


async def test_a_message_that_was_not_recorded_was_not_accepted(lives: Lives) -> None:
    lives.plays((waits(lives.root),), Say("Done."))
    report = await lived(lives, point="before the record", mode="steer")

    assert (report["status"], report["receipts"]) == ("interrupted", [])
