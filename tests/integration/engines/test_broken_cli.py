"""A Claude Code that is not as it should be ends its task in one state, in bounded time, with a reason."""

# faults: I4

import asyncio
import json
from pathlib import Path

import pytest
from tests.integration.engines.stage import RecordedRun, Stage

from glasshouse.contract.task import Failure
from glasshouse.testing.offline_model import Say

# What a CLI answers to the SDK's `initialize`, and waits for the prompt.
_READY = r"""
import json, sys
def say(**message): print(json.dumps(message), flush=True)
request = json.loads(sys.stdin.readline())
say(type="control_response", response={"subtype": "success", "request_id": request["request_id"], "response": {}})
prompt = json.loads(sys.stdin.readline())
session = {"session_id": "s", "uuid": "u"}
init = {"type": "system", "subtype": "init", "tools": [], "model": "m", **session}
figures = {"duration_ms": 1, "duration_api_ms": 1, "is_error": False, "num_turns": 1, "total_cost_usd": 0.5}
result = {"type": "result", "subtype": "success", "result": "All done.", **figures, **session}
"""


def fake_cli(stage: Stage, script: str, ready: bool = False) -> Path:
    path = stage.root / "claude-fake"
    path.write_text(f"#!/usr/bin/env python3\n{_READY if ready else 'import sys, time, os, signal'}\n{script}\n")
    path.chmod(0o700)
    return path


async def _run_on(stage: Stage, cli: Path, start_timeout_s: float = 10.0) -> RecordedRun:
    engine = stage.engine(cli=cli, start_timeout_s=start_timeout_s)
    return await asyncio.wait_for(stage.do(stage.run(Say("Never.")), engine), 20)


async def test_a_missing_cli_is_named(stage: Stage) -> None:
    run = await _run_on(stage, stage.root / "nowhere" / "claude")

    assert run.outcome.failure is Failure.ENGINE_FAILED
    assert "nowhere/claude" in run.outcome.message


@pytest.mark.parametrize(
    ("script", "says"),
    [
        pytest.param("sys.exit(\"error: unknown option '--output-format'\")", "unknown option", id="too old to start"),
        pytest.param("print('no JSON at all'); sys.exit(7)", "7", id="exits at start"),
        pytest.param("print('{\"broken', flush=True); sys.exit(0)", "", id="prints garbage"),
        pytest.param("os.kill(os.getpid(), signal.SIGKILL)", "", id="is killed"),
    ],
)
async def test_a_cli_that_does_not_start_fails_its_task(stage: Stage, script: str, says: str) -> None:
    run = await _run_on(stage, fake_cli(stage, script))

    assert run.outcome.failure is Failure.ENGINE_FAILED
    assert "did not start" in run.outcome.message and says in run.outcome.message


async def test_a_cli_that_leaves_at_its_start_without_a_word_is_noticed_in_time(stage: Stage) -> None:
    run = await _run_on(stage, fake_cli(stage, "sys.exit(0)"), 3.0)

    assert run.outcome.failure is Failure.ENGINE_FAILED


async def test_a_cli_that_hangs_at_its_start_is_ended_in_time(stage: Stage) -> None:
    run = await _run_on(stage, fake_cli(stage, "print('thinking…', file=sys.stderr, flush=True); time.sleep(600)"), 3.0)

    assert run.outcome.failure is Failure.ENGINE_FAILED
    assert "3 s" in run.outcome.message and "thinking…" in run.outcome.message


@pytest.mark.parametrize(
    ("script", "says"),
    [
        pytest.param("sys.stderr.write('out of memory'); sys.exit(137)", "out of memory", id="dies midway"),
        pytest.param("sys.exit(0)", "no result", id="leaves without a result"),
        pytest.param('print(\'{"type": "assistant"}\', flush=True)', "", id="speaks nonsense"),
        pytest.param("print('{', flush=True); import time; time.sleep(600)", "", id="prints garbage and stays"),
    ],
)
async def test_a_cli_that_ends_without_a_result_fails_its_task(stage: Stage, script: str, says: str) -> None:
    run = await _run_on(stage, fake_cli(stage, script, ready=True))

    assert run.outcome.failure is Failure.ENGINE_FAILED
    assert "ended unexpectedly" in run.outcome.message and says in run.outcome.message


async def test_a_cli_of_an_old_version_is_told_so(stage: Stage) -> None:
    run = await _run_on(
        stage, fake_cli(stage, "say(**init, claude_code_version='1.0.128'); sys.stdin.read()", ready=True)
    )

    assert run.outcome.failure is Failure.ENGINE_FAILED
    assert "1.0.128" in run.outcome.message and "2.0.0" in run.outcome.message


async def test_a_result_is_enough_where_no_report_of_being_idle_follows(stage: Stage) -> None:
    script = "say(**init, claude_code_version='2.1.0'); say(**result); sys.stdin.read()"
    run = await _run_on(stage, fake_cli(stage, script, ready=True))

    assert run.outcome.message == "All done." and run.outcome.failure is None


async def test_a_result_of_an_older_message_is_not_the_answer(stage: Stage) -> None:
    script = (
        "say(**init, claude_code_version='2.1.0');"
        "say(**{**result, 'num_turns': 0, 'result': 'old'});"
        "say(type='system', subtype='session_state_changed', state='idle', **session);"
        "say(**{**result, 'user_message_uuid': prompt['uuid']});"
        "say(type='system', subtype='session_state_changed', state='idle', **session); sys.stdin.read()"
    )
    run = await _run_on(stage, fake_cli(stage, script, ready=True))

    assert run.outcome.message == "All done."


async def test_the_last_words_hold_no_key(stage: Stage) -> None:
    offline = stage.run(Say("Never."), offline=True)
    script = "sys.exit('the key is ' + os.environ['ANTHROPIC_API_KEY'])"
    await stage.do(offline, stage.engine(cli=fake_cli(stage, script)))

    assert "the key is ••••" in offline.outcome.message
    assert stage.endpoint.key not in json.dumps([offline.outcome.message, offline.outcome.detail])


async def test_the_next_task_works_after_a_broken_one(stage: Stage) -> None:
    broken = await _run_on(stage, fake_cli(stage, "sys.exit(1)"))
    run = await stage.do(stage.run(Say("Fine."), prompt="Again.", after=broken))

    assert run.outcome.message == "Fine."
