"""What runs without asking, and what asks first; here the person always declines."""

import pytest
from tests.integration.engines.stage import Stage, write_json

from glasshouse.contract.task import PermissionMode
from glasshouse.testing.offline_model import Call, Say


def _touch(stage: Stage) -> Call:
    return Call("Bash", {"command": f"touch {stage.project}/canary", "description": "touch"})


async def test_what_was_not_named_asks_and_is_denied_in_the_persons_words(stage: Stage) -> None:
    run = await stage.do(stage.run((_touch(stage),), Say("Denied.")))

    [asking] = run.asked
    assert asking.subject["tool_name"] == "Bash"
    assert run.result.is_error
    assert "did not allow Bash" in run.result.content and "I would rather not" in run.result.content
    assert not (stage.project / "canary").exists()
    assert run.outcome.failure is None and run.outcome.message == "Denied."


async def test_the_denial_speaks_the_servers_language(stage: Stage) -> None:
    run = await stage.do(stage.run((_touch(stage),), Say("。")), stage.engine(language="zh"))

    assert "用户没有允许 Bash" in run.result.content


async def test_what_was_named_runs_without_asking(stage: Stage) -> None:
    run = await stage.do(stage.run((_touch(stage),), Say("Touched."), tools=("Bash",)))

    assert not run.result.is_error
    assert (stage.project / "canary").exists()


async def test_what_the_operator_bounds_is_offered_but_still_asks(stage: Stage) -> None:
    run = await stage.do(stage.run((_touch(stage),), Say("Denied."), tools_bound=("Bash",)))

    assert stage.tools_offered == {"Bash"}
    assert run.result.is_error and not (stage.project / "canary").exists()


async def test_accept_edits_writes_in_the_directory_without_asking(stage: Stage) -> None:
    write = Call("Write", {"file_path": str(stage.project / "a.txt"), "content": "x"})
    run = await stage.do(stage.run((write,), Say("Written."), permission_mode="acceptEdits"))

    assert run.result.files_changed == ["a.txt"]


@pytest.mark.parametrize("tools", [("Bash", "Write"), None], ids=["named", "own set"])
async def test_plan_mode_executes_nothing_even_what_was_named(stage: Stage, tools: tuple[str, ...] | None) -> None:
    write = Call("Write", {"file_path": str(stage.project / "canary"), "content": "x"})
    run = stage.run((_touch(stage), write), Say("A plan."), tools=tools, permission_mode="plan")
    await stage.do(run)

    results = [event for event in run.events if event.type == "tool_result"]
    assert [result.is_error for result in results] == [True, True]
    assert all("plan mode" in result.content for result in results)
    assert not (stage.project / "canary").exists()


async def test_plan_mode_still_reads(stage: Stage) -> None:
    (stage.project / "a.txt").write_text("legible")
    read = Call("Read", {"file_path": str(stage.project / "a.txt")})
    run = await stage.do(stage.run((read,), Say("A plan."), tools=("Read",), permission_mode="plan"))

    assert "legible" in run.result.content


async def test_naming_exit_plan_mode_approves_no_plan(stage: Stage) -> None:
    tools = ("ExitPlanMode", "Bash")
    run = stage.run((Call("ExitPlanMode", {}),), (_touch(stage),), Say("."), tools=tools, permission_mode="plan")
    await stage.do(run)

    assert [event.is_error for event in run.events if event.type == "tool_result"] == [True, True]
    assert not (stage.project / "canary").exists()


@pytest.mark.parametrize("mode", ["default", "acceptEdits"])
async def test_a_deny_rule_of_the_users_beats_what_was_named(stage: Stage, mode: PermissionMode) -> None:
    write_json(stage.home.settings_file, {"permissions": {"deny": ["Bash(touch:*)"]}})
    run = await stage.do(stage.run((_touch(stage),), Say("."), tools=("Bash",), permission_mode=mode))

    assert run.result.is_error and not (stage.project / "canary").exists()
