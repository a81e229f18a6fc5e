"""The mark of what Claude Code reads only when it starts: it changes with that, and with nothing else."""

import json
from pathlib import Path

import pytest

from glasshouse.claude_home import ClaudeHome
from glasshouse.claude_home.at_start import mark_at_start

OF_PROJECT = (
    "CLAUDE.md",
    "CLAUDE.local.md",
    ".mcp.json",
    ".claude/CLAUDE.md",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude/agents/one.md",
    ".claude/commands/deep/one.md",
    ".claude/output-styles/one.md",
    ".claude/rules/one.md",
    ".claude/skills/one/SKILL.md",
)
OF_USER = (
    "CLAUDE.md",
    "settings.json",
    "agents/one.md",
    "skills/one/SKILL.md",
    "plugins/installed_plugins.json",
    ".credentials.json",
)


@pytest.fixture
def home(tmp_path: Path) -> ClaudeHome:
    return ClaudeHome.at(tmp_path / "claude")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = tmp_path / "group" / "project"
    project.mkdir(parents=True)
    return project


def _written(path: Path, text: str = "x") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize("name", OF_PROJECT)
def test_what_a_project_says_counts_from_there_upwards(home: ClaudeHome, project: Path, name: str) -> None:
    marks = [mark_at_start(home, project)]
    for directory in (project, project.parent):
        _written(directory / name)
        marks.append(mark_at_start(home, project))
    _written(project / name, "longer")
    marks.append(mark_at_start(home, project))
    (project / name).unlink()
    marks.append(mark_at_start(home, project))

    assert len(set(marks)) == len(marks)
    assert mark_at_start(home, project) == marks[-1]


@pytest.mark.parametrize("name", OF_USER)
def test_what_the_user_says_counts(home: ClaudeHome, project: Path, name: str) -> None:
    before = mark_at_start(home, project)
    _written(home.config_dir / name)

    assert mark_at_start(home, project) != before


def test_a_skill_that_is_a_link_counts_by_what_it_leads_to(home: ClaudeHome, project: Path, tmp_path: Path) -> None:
    _written(tmp_path / "kept" / "SKILL.md")
    (project / ".claude" / "skills").mkdir(parents=True)
    (project / ".claude" / "skills" / "linked").symlink_to(tmp_path / "kept")
    before = mark_at_start(home, project)
    _written(tmp_path / "kept" / "SKILL.md", "longer")

    assert mark_at_start(home, project) != before


def test_a_link_that_leads_in_circles_ends(home: ClaudeHome, project: Path) -> None:
    (project / ".claude" / "skills").mkdir(parents=True)
    (project / ".claude" / "skills" / "round").symlink_to(project / ".claude" / "skills")

    assert mark_at_start(home, project) == mark_at_start(home, project)


@pytest.mark.parametrize("state", [{"numStartups": 7}, {"projects": {"PROJECT": {"lastCost": 1, "mcpServers": {}}}}])
def test_what_claude_code_notes_for_itself_does_not_count(
    home: ClaudeHome, project: Path, state: dict[str, object]
) -> None:
    before = mark_at_start(home, project)
    _written(home.state_file, json.dumps(state).replace("PROJECT", str(project)))
    assert mark_at_start(home, project) == before


@pytest.mark.parametrize(
    "state",
    [
        {"mcpServers": {"mine": {"command": "x"}}},
        {"primaryApiKey": "of somebody else"},
        {"projects": {"PROJECT": {"mcpServers": {"mine": {"command": "x"}}}}},
        {"projects": {"PROJECT": {"disabledMcpServers": ["mine"]}}},
        {"projects": {"PROJECT": {"hasTrustDialogAccepted": True}}},
    ],
)
def test_the_servers_in_its_state_count(home: ClaudeHome, project: Path, state: dict[str, object]) -> None:
    before = mark_at_start(home, project)
    _written(home.state_file, json.dumps(state).replace("PROJECT", str(project)))

    assert mark_at_start(home, project) != before


def test_the_work_itself_does_not_count(home: ClaudeHome, project: Path) -> None:
    before = mark_at_start(home, project)
    _written(project / "main.py")
    _written(home.transcripts_dir / "x" / "y.jsonl")

    assert mark_at_start(home, project) == before
