"""Slash commands that are files. That Claude Code names them so is held by tests/integration/engines."""

import json
import os
from pathlib import Path

import pytest

from glasshouse.claude_home import ClaudeHome
from glasshouse.claude_home.commands import commands_of
from glasshouse.claude_home.frontmatter import read_document
from glasshouse.contract.command import Command, CommandSource


@pytest.fixture
def home(tmp_path: Path) -> ClaudeHome:
    return ClaudeHome.at(tmp_path / "claude")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project" / ".git").mkdir(parents=True)
    return tmp_path / "project"


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def named(commands: list[Command]) -> list[str]:
    return [command.name for command in commands]


def test_a_command_has_a_name_a_description_and_a_hint(home: ClaudeHome, project: Path) -> None:
    written(
        home.config_dir / "commands/team/hi.md", "---\ndescription: Says hi\nargument-hint: [name] <x>\n---\nHi $1\n"
    )
    [command] = commands_of(home, project)
    assert command == Command(
        name="team:hi", description="Says hi", argument_hint="[name] <x>", source=CommandSource.USER, kind="command"
    )


def test_without_a_description_its_first_line_is_one(home: ClaudeHome, project: Path) -> None:
    written(home.config_dir / "commands/a.md", "\n# Greets\nmore\n")
    assert commands_of(home, project)[0].description == "Greets"


def test_a_skill_has_the_name_that_it_gives_itself(home: ClaudeHome, project: Path) -> None:
    written(project / ".claude/skills/folder/SKILL.md", "---\nname: own\ndescription: d\n---\n")
    [skill] = commands_of(home, project)
    assert (skill.name, skill.kind, skill.source) == ("own", "skill", CommandSource.PROJECT)


def test_what_only_the_model_may_use_is_not_listed(home: ClaudeHome, project: Path) -> None:
    written(home.config_dir / "commands/a.md", "---\nuser-invocable: false\n---\n")
    assert commands_of(home, project) == []


def test_a_project_is_looked_at_from_the_directory_up_to_its_root(home: ClaudeHome, project: Path) -> None:
    for folder, name in ((project / "a/b", "inner"), (project, "outer"), (project.parent, "beyond")):
        written(folder / ".claude/commands" / f"{name}.md", name)
    assert named(commands_of(home, project / "a/b")) == ["inner", "outer"]


def test_of_two_of_one_name_it_is_the_users(home: ClaudeHome, project: Path) -> None:
    written(home.config_dir / "commands/same.md", "user")
    written(project / ".claude/commands/same.md", "project")
    [command] = commands_of(home, project)
    assert command.description == "user"


@pytest.mark.parametrize(("enabled", "found"), [(True, ["plug:do", "plug:skill"]), (False, [])])
def test_plugins_that_are_on_bring_theirs(home: ClaudeHome, project: Path, enabled: bool, found: list[str]) -> None:
    folder = home.config_dir / "plugins/cache/plug"
    written(folder / "commands/do.md", "does")
    written(folder / "skills/skill/SKILL.md", "---\nname: skill\n---\n")
    installed = {"plug@market": [{"scope": "user", "installPath": str(folder)}], "broken@market": [1, {}], "odd": 3}
    written(home.config_dir / "plugins/installed_plugins.json", json.dumps({"plugins": installed}))
    written(home.settings_file, json.dumps({"enabledPlugins": {"plug@market": enabled}}))
    assert named(commands_of(home, project)) == found


def test_another_projects_plugin_is_not_listed(home: ClaudeHome, project: Path) -> None:
    folder = written(home.config_dir / "p/commands/do.md", "does").parents[1]
    place = {"scope": "project", "projectPath": str(project.parent / "other"), "installPath": str(folder)}
    written(home.config_dir / "plugins/installed_plugins.json", json.dumps({"plugins": {"p@m": [place]}}))
    written(home.settings_file, json.dumps({"enabledPlugins": {"p@m": True}}))
    assert commands_of(home, project) == []


def test_a_projects_link_may_not_lead_out_of_it(home: ClaudeHome, project: Path) -> None:
    """faults: B3 B5 B10"""
    secret = written(project.parent / "secret", "the secret")
    commands = written(project / ".claude/commands/good.md", "good").parent
    (commands / "out.md").symlink_to(secret)
    (commands / "in.md").symlink_to("good.md")
    (commands / "folder").symlink_to(project.parent)
    os.mkfifo(commands / "fifo.md")
    assert named(commands_of(home, project)) == ["good", "in"]


def test_where_there_is_nothing_nothing_is_found(home: ClaudeHome, project: Path) -> None:
    assert commands_of(home, project) == []


@pytest.mark.parametrize(
    ("text", "description", "body"),
    [
        ("---\ndescription: 'a: b'\n---\nbody", "a: b", "body"),
        ('---\ndescription: "quoted"\n---\n', "quoted", ""),
        ("---\ndescription: |\n  Two\n  lines\nother: x\n---\nbody", "Two lines", "body"),
        ("---\ndescription: >-\n  folded\n---\n", "folded", ""),
        ("---\r\ndescription: windows\r\n---\r\nbody", "windows", "body"),
        ("---\ndescription: [unclosed\n---\n", "[unclosed", ""),
        ("\ufeff---\ndescription: marked\n---\n", "marked", ""),
        ("---\ndescription: no end\n", None, "---\ndescription: no end\n"),
        ("no head\n---\n", None, "no head\n---\n"),
        ("", None, ""),
    ],
)
def test_a_head_is_read_generously(text: str, description: str | None, body: str) -> None:
    document = read_document(text)
    assert (document.fields.get("description"), document.body) == (description, body)
