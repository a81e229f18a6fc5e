"""A process is kept for its session's next task, unless anything tells it from a new one."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from tests.integration.engines.claude_codes import claude_codes, until
from tests.integration.engines.house import living
from tests.integration.engines.stage import RecordedRun, Stage, write_json

from glasshouse.adapters.processes import proc
from glasshouse.contract.events import ToolUse
from glasshouse.contract.question import QuestionKind
from glasshouse.contract.task import TaskStatus
from glasshouse.engines.claude import ClaudeEngine
from glasshouse.testing.offline_model import Call, Pause, Say

_PATIENCE_S = 20.0


@pytest.fixture
async def engine(stage: Stage) -> AsyncIterator[ClaudeEngine]:
    engine = stage.engine(warm=2)
    yield engine
    await engine.close()
    assert not claude_codes(stage)
    assert not list((stage.root / "runs").iterdir())


async def first(stage: Stage, engine: ClaudeEngine, **fields: Any) -> tuple[RecordedRun, int]:
    """A task, and the process that it left."""
    run = await stage.do(stage.run(Say("One."), **fields), engine)
    assert run.outcome.failure is None
    [pid] = claude_codes(stage)
    return run, pid


async def test_the_next_turn_is_done_by_the_same_process(stage: Stage, engine: ClaudeEngine) -> None:
    one, pid = await first(stage, engine)
    two = await stage.do(stage.run(Say("Two."), prompt="Next.", after=one), engine)

    assert claude_codes(stage) == {pid}
    assert two.outcome.message == "Two." and two.outcome.num_turns == 1
    assert two.reported["session_id"] == one.task.session_id
    assert [message["role"] for message in stage.asked[-1]["messages"]].count("assistant") == 1
    assert one.outcome.cost_usd and two.outcome.cost_usd
    total = (two.outcome.engine_state or {})["total_cost_usd"]
    assert total == pytest.approx(one.outcome.cost_usd + two.outcome.cost_usd)


async def test_what_a_person_is_asked_belongs_to_the_task_that_asks(stage: Stage, engine: ClaudeEngine) -> None:
    one, pid = await first(stage, engine)
    write = Call("Write", {"file_path": str(stage.project / "new.txt"), "content": "x"})
    two = await stage.do(stage.run((write,), Say("It may not."), prompt="Write.", after=one), engine)

    assert claude_codes(stage) == {pid}
    assert one.asked == [] and [asking.subject["tool_name"] for asking in two.asked] == ["Write"]
    assert two.result.is_error


async def test_our_own_question_tool_asks_for_the_task_that_runs(stage: Stage, engine: ClaudeEngine) -> None:
    one, pid = await first(stage, engine)
    question = {"questions": [{"question_text": "Which?", "type": "text"}]}
    call = Call("mcp__glasshouse__ask_user_question", question)
    two = await stage.do(stage.run((call,), Say("So be it."), prompt="Ask.", after=one), engine)

    assert claude_codes(stage) == {pid}
    assert one.asked == [] and len(two.asked) == 1


async def test_who_writes_to_the_session_from_a_terminal_is_not_forgotten(stage: Stage, engine: ClaudeEngine) -> None:
    one, pid = await first(stage, engine)
    await stage.do(stage.run(Say("From elsewhere."), prompt="Between.", after=one))
    await until(lambda: pid not in claude_codes(stage))
    two = await stage.do(stage.run(Say("Two."), prompt="Next.", after=one), engine)

    assert two.outcome.message == "Two."
    assert "From elsewhere." in json.dumps(stage.asked[-1]["messages"])


async def test_a_foreign_word_counts_at_once(stage: Stage, engine: ClaudeEngine) -> None:
    """Not only once it was noticed: the next task looks by itself."""
    one, pid = await first(stage, engine)
    _write_beside(stage, one, {"type": "system", "uuid": str(uuid4()), "content": "x"})
    two = await stage.do(stage.run(Say("Two."), prompt="Next.", after=one), engine)

    assert two.outcome.message == "Two."
    assert pid not in claude_codes(stage) and len(claude_codes(stage)) == 1


async def test_a_name_for_the_session_is_no_word(stage: Stage, engine: ClaudeEngine) -> None:
    one, pid = await first(stage, engine)
    _write_beside(stage, one, {"type": "custom-title", "customTitle": "x", "sessionId": one.task.session_id})
    two = await stage.do(stage.run(Say("Two."), prompt="Next.", after=one), engine)

    assert two.outcome.message == "Two." and claude_codes(stage) == {pid}


def _write_beside(stage: Stage, run: RecordedRun, line: dict[str, Any]) -> None:
    [transcript] = stage.home.transcripts_dir.glob(f"*/{run.task.session_id}.jsonl")
    with transcript.open("a") as file:
        file.write(json.dumps(line) + "\n")


@pytest.mark.parametrize(
    "fields",
    [{"permission_mode": "acceptEdits"}, {"tools": ("Read",)}, {"deltas": True}, {"max_turns": 3}],
    ids=lambda fields: next(iter(fields)),
)
async def test_other_options_are_another_process(stage: Stage, engine: ClaudeEngine, fields: dict[str, Any]) -> None:
    one, pid = await first(stage, engine)
    two = await stage.do(stage.run(Say("Two."), prompt="Next.", after=one, **fields), engine)

    assert two.outcome.message == "Two."
    assert pid not in claude_codes(stage)


@pytest.mark.parametrize(
    "path",
    ["CLAUDE.md", ".claude/settings.json", ".claude/settings.local.json", ".mcp.json", ".claude/skills/new/SKILL.md"],
)
async def test_what_the_project_says_now_is_what_counts(stage: Stage, path: str) -> None:
    engine = stage.engine(warm=1, trust="always")
    one, pid = await first(stage, engine)
    if path.endswith(".json"):
        write_json(stage.project / path, {"mcpServers": {}} if path == ".mcp.json" else {"env": {"A": "b"}})
    else:
        (stage.project / path).parent.mkdir(parents=True, exist_ok=True)
        (stage.project / path).write_text("Speak softly.")
    two = await stage.do(stage.run(Say("Two."), prompt="Next.", after=one), engine)

    assert two.outcome.message == "Two."
    assert pid not in claude_codes(stage)
    await engine.close()


async def test_what_works_on_in_the_background_is_not_kept(stage: Stage, engine: ClaudeEngine) -> None:
    serve = {"command": "exec tail -f /dev/null", "description": "serve", "run_in_background": True}
    run = await stage.do(stage.run((Call("Bash", serve),), Say("It serves."), tools=("Bash",)), engine)

    assert run.outcome.message == "It serves."
    assert claude_codes(stage) == set()


# faults: I3
@pytest.mark.parametrize(
    "how", ["tail -f /dev/null >/dev/null 2>&1 &", "env -i setsid tail -f /dev/null >/dev/null 2>&1 &"]
)
async def test_what_left_the_process_ends_with_the_task(stage: Stage, engine: ClaudeEngine, how: str) -> None:
    left = {"command": f"{how} echo left", "description": "leave"}
    run = await stage.do(stage.run((Call("Bash", left),), Say("Gone."), tools=("Bash",)), engine)

    assert run.outcome.message == "Gone." and "left" in run.result.content
    assert not [pid for pid in proc.running() if _works_in(pid, stage.project)]


def _open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def _works_in(pid: int, directory: Path) -> bool:
    try:
        return Path(f"/proc/{pid}/cwd").readlink() == directory
    except OSError:
        return False


async def test_one_that_is_unused_goes(stage: Stage) -> None:
    engine = stage.engine(warm=1, warm_idle_s=0.2)
    one, _ = await first(stage, engine)
    await until(lambda: not claude_codes(stage))
    two = await stage.do(stage.run(Say("Two."), prompt="Next.", after=one), engine)

    assert two.outcome.message == "Two."
    # It was let go with time to write down what it cost.
    assert two.outcome.cost_usd and two.outcome.cost_usd > 0
    await engine.close()


async def test_only_so_many_are_kept_and_the_longest_unused_goes(stage: Stage, engine: ClaudeEngine) -> None:
    one, oldest = await first(stage, engine)
    for number in (2, 3):
        await stage.do(stage.run(Say("Another."), prompt=f"Task {number}."), engine)
    await until(lambda: len(claude_codes(stage)) == 2)

    assert oldest not in claude_codes(stage)
    await stage.do(stage.run(Say("Two."), prompt="Next.", after=one), engine)


# faults: I4
async def test_one_that_dies_meanwhile_is_replaced(stage: Stage, engine: ClaudeEngine) -> None:
    one, pid = await first(stage, engine)
    os.kill(pid, signal.SIGKILL)
    two = await stage.do(stage.run(Say("Two."), prompt="Next.", after=one), engine)

    assert two.outcome.message == "Two." and two.outcome.failure is None
    assert pid not in claude_codes(stage)


# faults: I4
async def test_one_that_died_and_was_not_noticed_is_replaced(stage: Stage, engine: ClaudeEngine) -> None:
    """Stopped, it looks alive; what is sent to it is never read, and then it dies."""
    one, pid = await first(stage, engine)
    os.kill(pid, signal.SIGSTOP)
    run = stage.run(Say("Two."), prompt="Next.", after=one)
    doing = asyncio.create_task(stage.do(run, engine))
    await asyncio.wait({doing}, timeout=0.3)
    os.kill(pid, signal.SIGKILL)
    two = await asyncio.wait_for(doing, _PATIENCE_S)

    assert two.outcome.message == "Two." and two.outcome.failure is None
    assert json.dumps(stage.asked[-1]["messages"]).count("Next.") == 1


async def test_stop_ends_a_process_that_was_used_again(stage: Stage, engine: ClaudeEngine) -> None:
    one, pid = await first(stage, engine, tools=("Bash",))
    endless = Call("Bash", {"command": "setsid tail -f /dev/null & wait", "description": "wait"})
    run = stage.run((endless,), prompt="Wait.", after=one, tools=("Bash",))
    doing = asyncio.create_task(stage.do(run, engine))
    await run.until_told(ToolUse)
    assert claude_codes(stage) == {pid}
    run.stop.set()
    await asyncio.wait_for(doing, 5)

    assert run.outcome.stopped
    assert not [pid for pid in proc.running() if _works_in(pid, stage.project)]


async def test_a_stop_as_the_prompt_goes_out_ends_it_too(stage: Stage, engine: ClaudeEngine) -> None:
    one, _ = await first(stage, engine)
    run = stage.run((Pause(60), Say("No.")), prompt="Next.", after=one)
    run.stop.set()
    await asyncio.wait_for(stage.do(run, engine), 5)

    assert run.outcome.stopped
    assert claude_codes(stage) == set()


async def test_let_go_ends_the_process_of_this_session_alone(stage: Stage, engine: ClaudeEngine) -> None:
    one, gone = await first(stage, engine)
    await stage.do(stage.run(Say("Another."), prompt="Another."), engine)
    await engine.let_go(one.task.session_id)

    assert gone not in claude_codes(stage) and len(claude_codes(stage)) == 1
    await engine.let_go(one.task.session_id)


async def test_after_its_end_the_engine_keeps_nothing(stage: Stage, engine: ClaudeEngine) -> None:
    await first(stage, engine)
    await engine.close()
    assert claude_codes(stage) == set()

    late = await stage.do(stage.run(Say("Late."), prompt="Late."), engine)
    assert late.outcome.message == "Late." and claude_codes(stage) == set()


# faults: I3 H5
async def test_cancelled_tasks_leave_nothing(stage: Stage) -> None:
    counted = []
    for number in range(10):
        engine = stage.engine(warm=2)
        one = await stage.do(stage.run(Say("Begun."), prompt=f"Begin {number}.", tools=("Bash",)), engine)
        leaving = Call("Bash", {"command": "setsid tail -f /dev/null & wait", "description": "wait"})
        again = stage.run((leaving,), prompt=f"Go on {number}.", after=one, tools=("Bash",))
        doing = asyncio.create_task(stage.do(again, engine))
        if number % 2:
            await again.until_told(ToolUse)
        again.stop.set()
        await asyncio.wait_for(doing, 10)
        await engine.close()
        counted.append(_open_files())

    assert not [pid for pid in proc.running() if _works_in(pid, stage.project)]
    assert counted[-1] <= counted[0] + 2


async def test_a_question_can_wait_without_a_process_that_was_used_again(stage: Stage) -> None:
    stage.run(Say("One."), prompt="First.")
    question = {"questions": [{"question": "Which?", "header": "Which", "multiSelect": False, "options": [
        {"label": "A", "description": ""}, {"label": "B", "description": ""}]}]}  # fmt: skip
    stage.run((Call("AskUserQuestion", question),), Say("A it is."), prompt="Ask.")
    stage.run(Say("And on."), prompt="Last.")
    async with living(stage, warm=2) as house:
        one = await house.ended(await house.admit("First."))
        [pid] = claude_codes(stage)
        task = await house.admit("Ask.", session_id=one.session_id)
        [asked] = await house.asked(task)
        await house.until_left(task)
        assert claude_codes(stage) == set(), "a question that waits holds no process"
        await house.answer(asked, "A")
        done = await house.ended(task)
        assert done.status is TaskStatus.COMPLETED and done.result is not None
        assert done.result.message == "A it is."
        await until(lambda: claude_codes(stage) - {pid})
        [resumed] = claude_codes(stage)
        last = await house.ended(await house.admit("Last.", session_id=one.session_id))
        assert last.status is TaskStatus.COMPLETED and claude_codes(stage) == {resumed}


async def test_what_was_allowed_for_the_session_holds_in_the_kept_process(stage: Stage) -> None:
    def write(name: str) -> Call:
        return Call("Bash", {"command": f"touch {name}", "description": "touch"})

    stage.run((write("a"),), Say("Done."), prompt="First.")
    stage.run((write("a"),), Say("Done again."), prompt="Second.")
    async with living(stage, warm=2) as house:
        task = await house.admit("First.")
        [asked] = await house.asked(task)
        await house.answer(asked, "allow_session")
        one = await house.ended(task)
        [pid] = claude_codes(stage)
        two = await house.ended(await house.admit("Second.", session_id=one.session_id))

        assert two.status is TaskStatus.COMPLETED and await house.questions(two) == []
        assert claude_codes(stage) == {pid}


@pytest.mark.parametrize(("answer", "runs"), [("without", False), ("trust", True)])
async def test_what_a_directory_comes_to_carry_is_asked_about(stage: Stage, answer: str, runs: bool) -> None:
    """A kept process sees its settings change while nobody is there, and the next task asks before any of it runs."""
    canary = stage.root / "canary"
    hook = {"hooks": [{"type": "command", "command": f"touch {canary}"}]}
    stage.run(Say("One."), prompt="First.")
    stage.run(Say("Two."), prompt="Second.")
    async with living(stage, warm=1, trust="ask") as house:
        one = await house.ended(await house.admit("First."))
        [pid] = claude_codes(stage)
        write_json(stage.project / ".claude" / "settings.json", {"hooks": {"UserPromptSubmit": [hook]}})
        task = await house.admit("Second.", session_id=one.session_id)
        [asked] = await house.asked(task)
        await house.until_left(task)
        assert asked.kind is QuestionKind.TRUST and claude_codes(stage) == set() and not canary.exists()
        await house.answer(asked, answer)
        done = await house.ended(task)

        assert done.status is TaskStatus.COMPLETED and done.result is not None and done.result.message == "Two."
        assert pid not in claude_codes(stage) and canary.exists() is runs
