"""Stop means stopped: whatever a run has started is gone when it returns."""

# faults: I3

import asyncio
import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.integration.engines.stage import RecordedRun, Stage

from glasshouse.adapters.processes import proc
from glasshouse.contract.events import ToolUse
from glasshouse.testing.offline_model import Call, Pause, Say

# The child, one that ignores SIGTERM, one in a session of its own, one without our environment, and all of them wait.
_STUBBORN = (
    "tail -f /dev/null & "
    "(trap '' TERM; exec tail -f /dev/null) & "
    "setsid tail -f /dev/null & "
    "env -i setsid tail -f /dev/null & "
    "touch started; wait"
)


def _working_in(directory: Path) -> Iterator[int]:
    for pid in proc.running():
        with contextlib.suppress(OSError):
            if Path(f"/proc/{pid}/cwd").readlink() == directory:
                yield pid


async def _until_exists(path: Path) -> None:
    """The file is made by a process that has no other way of telling us."""
    until = time.monotonic() + 20
    while not await asyncio.to_thread(path.exists):
        assert time.monotonic() < until
        await asyncio.sleep(0.01)


def _stubborn(stage: Stage) -> RecordedRun:
    return stage.run((Say("I wait."), Call("Bash", {"command": _STUBBORN, "description": "wait"})), tools=("Bash",))


async def test_stopping_ends_the_cli_and_all_that_it_started(stage: Stage) -> None:
    run = _stubborn(stage)
    doing = asyncio.create_task(stage.do(run))
    await _until_exists(stage.project / "started")
    assert len(list(_working_in(stage.project))) >= 5

    run.stop.set()
    await asyncio.wait_for(doing, 5)

    assert run.outcome.stopped and run.outcome.failure is None
    assert list(_working_in(stage.project)) == []


async def test_cancelling_the_run_ends_all_too(stage: Stage) -> None:
    doing = asyncio.create_task(stage.do(_stubborn(stage)))
    await _until_exists(stage.project / "started")

    doing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(doing, 5)

    assert list(_working_in(stage.project)) == []
    assert list((stage.root / "runs").iterdir()) == []


async def test_stopping_while_the_model_talks_keeps_what_was_said(stage: Stage) -> None:
    called = (Say("One thing."), Call("Bash", {"command": "true", "description": "x"}))
    run = stage.run(called, (Pause(60), Say("No.")), tools=("Bash",))
    doing = asyncio.create_task(stage.do(run))
    await run.until_told(ToolUse)

    run.stop.set()
    await asyncio.wait_for(doing, 5)

    assert run.outcome.stopped
    assert run.said == ["One thing."]


async def test_stopping_before_the_start_starts_nothing(stage: Stage) -> None:
    run = stage.run(Say("Never."))
    run.stop.set()
    await asyncio.wait_for(stage.do(run), 5)

    assert run.outcome.stopped and run.events == []
    assert stage.asked == []


async def test_commands_in_the_background_end_with_their_task(stage: Stage) -> None:
    serve = {"command": "exec tail -f /dev/null", "description": "serve", "run_in_background": True}
    run = await stage.do(stage.run((Call("Bash", serve),), Say("It serves."), tools=("Bash",)))

    assert run.outcome.message == "It serves." and run.outcome.failure is None
    assert list(_working_in(stage.project)) == []
