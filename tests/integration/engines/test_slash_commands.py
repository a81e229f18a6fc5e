"""Slash commands and `@file` as typed, with the real Claude Code; and what is listed is what it has."""

import json
from pathlib import Path

from tests.integration.engines.stage import Stage

from glasshouse.claude_home.commands import commands_of
from glasshouse.engines.claude.slash_commands import SLASH_COMMANDS
from glasshouse.testing.offline_model import Say


def written(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


async def test_a_commands_text_reaches_the_model_with_its_arguments(stage: Stage) -> None:
    written(stage.home.config_dir / "commands/team/greet.md", "Greet the zinnia called $ARGUMENTS kindly.")
    await stage.do(stage.run(prompt="/team:greet Bob and Eve"))
    assert "Greet the zinnia called Bob and Eve kindly." in json.dumps(stage.asked[-1])


async def test_a_projects_command_reaches_it_where_the_project_is_trusted(stage: Stage) -> None:
    written(stage.project / ".claude/commands/own.md", "This is the zinnia of the project.")
    await stage.do(stage.run(prompt="/own"), stage.engine(trust="always"))
    assert "the zinnia of the project" in json.dumps(stage.asked[-1])


async def test_a_skill_is_called_by_the_name_that_it_gives_itself(stage: Stage) -> None:
    written(
        stage.home.config_dir / "skills/folder/SKILL.md", "---\nname: own-name\ndescription: d\n---\nThe zinnia skill."
    )
    await stage.do(stage.run(prompt="/own-name"))
    assert "The zinnia skill." in json.dumps(stage.asked[-1])


async def test_a_files_text_reaches_the_model_where_it_is_named(stage: Stage) -> None:
    written(stage.project / "src/flowers.txt", "zinnia and dahlia")
    await stage.do(stage.run(Say("Read."), prompt="What is in @src/flowers.txt ?"))
    assert "zinnia and dahlia" in json.dumps(stage.asked[-1])


async def test_a_command_that_answers_by_itself_answers(stage: Stage) -> None:
    run = await stage.do(stage.run(prompt="/context"))
    assert run.outcome.failure is None
    assert "Context Usage" in run.outcome.message


async def test_what_is_listed_is_what_claude_code_has(stage: Stage) -> None:
    config, project = stage.home.config_dir, stage.project
    written(config / "commands/hello.md", "---\ndescription: d\n---\nHello")
    written(config / "commands/ns/deep.md", "Deep")
    written(config / "commands/hidden.md", "---\nuser-invocable: false\n---\nHidden")
    written(config / "commands/broken.md", "---\ndescription: [unclosed\n---\nBroken")
    written(config / "skills/folder/SKILL.md", "---\nname: own-name\ndescription: d\n---\nSkill")
    written(project / ".claude/commands/theirs.md", "Theirs")
    written(project / ".claude/skills/skill/SKILL.md", "---\nname: skill\ndescription: d\n---\nSkill")
    run = await stage.do(stage.run(Say("Hello.")), stage.engine(trust="always"))
    known = run.reported["slash_commands"]
    ours = {command.name for command in commands_of(stage.home, project)}
    assert ours == {"hello", "ns:deep", "broken", "own-name", "theirs", "skill"}
    # Of a skill it reports the folder's name, and offers the skill's own.
    assert ours - {"own-name"} | {"folder"} <= set(known)
    assert "hidden" not in known
    assert {command.name for command in SLASH_COMMANDS} <= set(known)
