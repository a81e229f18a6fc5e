"""What a project carries runs only where it is trusted; its words and all that is the user's reach the model anyway."""

import json
import subprocess
from pathlib import Path

import pytest
from tests.integration.engines.stage import RecordedRun, Stage, write_json
from tests.integration.engines.test_tools_offered import mcp_server

from glasshouse.claude_home.carried import carried_by
from glasshouse.core.settings import Trust
from glasshouse.testing.offline_model import Call, Say

_HOOKS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "Stop", "SessionEnd")


def _booby_trap(stage: Stage) -> None:
    hooks = {
        event: [{"hooks": [{"type": "command", "command": f"touch {stage.root}/canary-{event}"}]}] for event in _HOOKS
    }
    write_json(stage.project / ".claude" / "settings.json", {"hooks": hooks, "env": {"PLANTED": "yes"}})
    write_json(stage.project / ".mcp.json", {"mcpServers": {"theirs": mcp_server(stage.root / "canary-mcp")}})


def _canaries(stage: Stage) -> set[str]:
    return {path.name.removeprefix("canary-") for path in stage.root.glob("canary-*")}


def _repository_with_worktree(root: Path, tree: Path) -> None:
    git = ("git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@b.c")
    for command in (("init", "-q"), ("commit", "-q", "--allow-empty", "-m", "x"), ("worktree", "add", "-q", str(tree))):
        subprocess.run([*git, *command], check=True, capture_output=True)


@pytest.mark.parametrize(
    "body",
    [
        "a !`touch {canary}` b",
        "a !`true;\ntouch {canary}` b",
        "a ```!\ntouch {canary}\n``` b",
        "a\ufeff!`touch {canary}`",
        "a !$ARGUMENTS b",
        "a! `touch {canary}` $ARGUMENTS",
        "a ``` !\ntouch {canary}\n``` b",
    ],
)
async def test_what_claude_code_runs_in_a_command_is_seen_to_run(stage: Stage, body: str) -> None:
    """And what is seen as plain, it does not run."""
    canary = stage.project / "canary"
    command = stage.project / ".claude" / "commands" / "it.md"
    command.parent.mkdir(parents=True)
    command.write_text(body.format(canary=canary))
    seen = bool(carried_by(stage.project, stage.home, stage.root).items)
    run = stage.run(Say("Yes."), prompt=f"/it `touch {canary}`", tools=("Bash",))
    await stage.do(run, stage.engine(trust="always"))
    assert canary.exists() is seen


async def _echo_planted(stage: Stage, trust: Trust) -> RecordedRun:
    echo = Call("Bash", {"command": "echo planted=$PLANTED", "description": "echo"})
    return await stage.do(stage.run((echo,), Say("."), tools=("Bash",)), stage.engine(trust=trust))


async def test_hooks_servers_and_variables_of_an_untrusted_project_do_not_run(stage: Stage) -> None:
    _booby_trap(stage)
    run = await _echo_planted(stage, "never")

    assert _canaries(stage) == set()
    assert run.result.content == "planted="


async def test_nothing_of_a_project_runs_before_its_question_is_answered(stage: Stage) -> None:
    _booby_trap(stage)
    run = await stage.do(stage.run(Say("Yes.")), stage.engine(trust="ask"))

    assert [asking.kind for asking in run.asked] == ["trust"] and run.outcome.stopped
    assert _canaries(stage) == set() and stage.asked == []


async def test_all_that_claude_code_takes_from_around_a_directory_is_found(stage: Stage) -> None:
    """If this fails with a new Claude Code, it looks in other places than `carried.places` says."""
    outer = stage.root / "outer"
    root, tree = outer / "repo", outer / "tree"
    directories = {"outer": outer, "root": root, "mid": root / "mid", "here": root / "mid" / "here"}
    directories["here"].mkdir(parents=True)
    _repository_with_worktree(root, tree)
    for name, directory in directories.items():
        for file in ("settings.json", "settings.local.json"):
            command = {"type": "command", "command": f"touch {stage.root}/canary-{file}-{name}"}
            write_json(directory / ".claude" / file, {"hooks": {"SessionStart": [{"hooks": [command]}]}})
        write_json(directory / ".mcp.json", {"mcpServers": {name: mcp_server(stage.root / f"canary-mcp-{name}")}})
        for folder in ("commands", "agents", "skills/it"):
            path = directory / ".claude" / folder / ("SKILL.md" if "/" in folder else f"{name}-{folder}.md")
            path.parent.mkdir(parents=True)
            path.write_text(f"---\nname: {name}-{folder[:6]}\ndescription: x\nhooks: {{}}\n---\nwords")
    for start in (directories["here"], root, outer, tree):
        for canary in stage.root.glob("canary-*"):
            canary.unlink()
        run = await stage.do(stage.run(Say("Yes."), working_dir=start), stage.engine(trust="always"))
        items = carried_by(start, stage.home, stage.root).items
        at = {directory / rest: name for name, directory in directories.items() for rest in (".claude", "")}
        found = {(item.path.name, at[item.path.parent]) for item in items if item.path.parent in at}
        taken = {(name.rsplit("-", 1)[0], name.rsplit("-", 1)[1]) for name in _canaries(stage)}
        assert taken == {("mcp" if name == ".mcp.json" else name, where) for name, where in found}, start
        offered = {name for name in (*run.reported["slash_commands"], *run.reported["agents"]) if "-" in name}
        texts = {item.path for item in items if item.path.suffix == ".md"}
        for name, directory in directories.items():
            for kind in ("agents", "commands"):
                path = directory / ".claude" / kind / f"{name}-{kind}.md"
                assert (path.stem in offered) is (path in texts), (start, path)


async def test_in_a_trusted_project_they_do_run(stage: Stage) -> None:
    _booby_trap(stage)
    run = await _echo_planted(stage, "always")
    own_set = await stage.do(stage.run(Say("Yes."), prompt="Again."), stage.engine(trust="always"))

    assert _canaries(stage) == {*_HOOKS, "mcp"}
    assert run.result.content == "planted=yes"
    assert "mcp__theirs__echo" in own_set.reported["tools"]


async def test_what_the_task_before_has_written_does_not_run(stage: Stage) -> None:
    hook = {"type": "command", "command": f"touch {stage.root}/canary"}
    hooks = {"hooks": {"SessionStart": [{"hooks": [hook]}]}}
    # Claude Code itself keeps its own tools, and plain shell commands, from this file; not other programs.
    plant = f"import os; os.mkdir('.claude'); open('.claude/settings.json', 'w').write({json.dumps(hooks)!r})"
    (stage.project / "plant.py").write_text(plant)
    write = Call("Bash", {"command": "python3 plant.py", "description": "plant"})
    engine = stage.engine()
    first = await stage.do(stage.run((write,), Say("."), tools=("Bash",)), engine)
    await stage.do(stage.run(Say("."), prompt="Again.", after=first), engine)

    assert (stage.project / ".claude" / "settings.json").exists()
    assert not (stage.root / "canary").exists()


async def test_the_words_of_an_untrusted_project_reach_the_model(stage: Stage) -> None:
    (stage.project / "CLAUDE.md").write_text("Always mention the pelican.")
    await stage.do(stage.run(Say("Yes.")))

    assert "Always mention the pelican." in str(stage.asked[-1]["system"])


async def test_the_words_of_a_trusted_project_reach_the_model_once(stage: Stage) -> None:
    (stage.project / "CLAUDE.md").write_text("Always mention the pelican.")
    await stage.do(stage.run(Say("Yes.")), stage.engine(trust="always"))

    assert str(stage.asked[-1]).count("Always mention the pelican.") == 1


async def test_a_link_out_of_an_untrusted_project_is_not_read(stage: Stage, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("the launch code")
    (stage.project / "CLAUDE.md").symlink_to(tmp_path / "secret")
    await stage.do(stage.run(Say("Yes.")))

    assert "the launch code" not in str(stage.asked)


async def test_the_users_own_servers_and_words_reach_the_model_in_an_untrusted_project(stage: Stage) -> None:
    state = {
        "mcpServers": {"mine": mcp_server(stage.root / "ran")},
        "projects": {str(stage.project): {"mcpServers": {"here": mcp_server(stage.root / "ran-here")}}},
    }
    write_json(stage.home.state_file, state)
    (stage.home.config_dir / "CLAUDE.md").write_text("The user likes herons.")
    run = await stage.do(stage.run(Say("Yes.")))

    assert {server["name"] for server in run.reported["mcp_servers"]} == {"mine", "here", "glasshouse"}
    assert "The user likes herons." in str(stage.asked[-1])
