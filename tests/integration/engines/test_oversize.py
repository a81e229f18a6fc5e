"""Messages of a size that nobody expects: they pass, or end their task in a sentence; the session goes on."""

# faults: E7 H2

import asyncio
import gc

import pytest
from tests.integration.engines.stage import Stage
from tests.integration.engines.test_broken_cli import fake_cli

from glasshouse.contract.task import Failure
from glasshouse.testing.offline_model import Say

_PATIENCE_S = 100.0


async def test_a_text_of_more_than_a_megabyte_passes_whole(stage: Stage) -> None:
    text = "这是一段很长的回答。\n" * 45_000  # 1.3 MB
    run = await asyncio.wait_for(stage.do(stage.run(Say(text))), _PATIENCE_S)

    assert run.outcome.failure is None
    assert [len(said) for said in run.said] == [len(text.strip())] or "".join(run.said).strip() == text.strip()
    again = await stage.do(stage.run(Say("Still here."), prompt="And now?", after=run))
    assert again.said == ["Still here."]


# The SDK lets go of a pipe that it has stopped reading; the collector closes it.
@pytest.mark.filterwarnings("ignore:unclosed transport:ResourceWarning")
@pytest.mark.parametrize(("megabytes", "passes"), [(40, True), (80, False)])
async def test_a_line_of_many_megabytes_passes_or_ends_its_task_and_the_next_one_works(
    stage: Stage, megabytes: int, passes: bool
) -> None:
    script = (
        "say(**init, claude_code_version='2.1.0');"
        f"say(**{{**result, 'result': 'x' * ({megabytes} << 20)}});"
        "say(type='system', subtype='session_state_changed', state='idle', **session); sys.stdin.read()"
    )
    engine = stage.engine(cli=fake_cli(stage, script, ready=True))
    run = await asyncio.wait_for(stage.do(stage.run(Say("Never.")), engine), _PATIENCE_S)

    if passes:
        assert run.outcome.failure is None and len(run.outcome.message) == megabytes << 20
    else:
        assert run.outcome.failure is Failure.ENGINE_FAILED and len(run.outcome.message) < 10_000
    again = await stage.do(stage.run(Say("Still here."), prompt="And now?", after=run))
    assert again.said == ["Still here."]
    gc.collect()
