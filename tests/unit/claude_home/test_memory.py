"""The instructions of a project that is not trusted, as text."""

import os
from pathlib import Path

from glasshouse.claude_home.memory import MEMORY_LIMIT, project_memory


def test_the_files_of_the_directory_and_its_parents_are_read_down_from_the_repositorys_root(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    below = root / "a" / "b"
    below.mkdir(parents=True)
    (root / ".git").mkdir()
    (tmp_path / "CLAUDE.md").write_text("outside the repository")
    (root / "CLAUDE.md").write_text("of the root")
    (root / "a" / ".claude").mkdir()
    (root / "a" / ".claude" / "CLAUDE.md").write_text("of a")
    (below / "CLAUDE.local.md").write_text("of b")

    text = project_memory(below)

    assert [text.index(part) for part in ("of the root", "of a", "of b")] == sorted(
        text.index(part) for part in ("of the root", "of a", "of b")
    )
    assert "outside the repository" not in text
    assert str(root / "CLAUDE.md") in text


def test_without_a_repository_only_the_directory_itself_is_read(tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text("above")
    (tmp_path / "project").mkdir()

    assert project_memory(tmp_path / "project") == ""


def test_links_out_and_what_is_no_file_are_passed_over(tmp_path: Path) -> None:
    # faults: B3 B5
    project = tmp_path / "project"
    (project / "docs").mkdir(parents=True)
    (tmp_path / "secret").write_text("secret")
    (project / "CLAUDE.md").symlink_to(tmp_path / "secret")
    os.mkfifo(project / "CLAUDE.local.md")
    (project / "docs" / "rules.md").write_text("the rules")
    (project / ".claude").mkdir()
    (project / ".claude" / "CLAUDE.md").symlink_to(project / "docs" / "rules.md")

    text = project_memory(project)

    assert "the rules" in text and "secret" not in text


def test_a_link_of_the_folder_out_of_the_project_is_not_followed(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "CLAUDE.md").write_text("secret")
    (project / ".claude").symlink_to(tmp_path / "other")

    assert project_memory(project) == ""


def test_it_is_bounded_and_can_stand_in_a_prompt(tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_bytes(b"\0\xff" + b"x" * 2 * MEMORY_LIMIT)

    text = project_memory(tmp_path)

    assert len(text.encode()) < MEMORY_LIMIT + 1024 and "\0" not in text
    assert "cut here" in text


def test_rules_and_what_is_imported_are_read_as_far_as_they_are_the_projects(tmp_path: Path) -> None:
    # faults: B3
    project = tmp_path / "project"
    (project / "docs").mkdir(parents=True)
    (project / ".claude" / "rules" / "deep").mkdir(parents=True)
    (tmp_path / "secret").write_text("secret")
    (project / "CLAUDE.md").write_text(
        "Read @docs/style.md and @../secret and @~/x, not `@docs/quoted.md`.\n```\n@docs/fenced.md\n```\nme@docs.md"
    )
    (project / "docs" / "style.md").write_text("the style\n@more.md")
    (project / "docs" / "more.md").write_text("more of it @style.md")
    for name in ("quoted", "fenced"):
        (project / "docs" / f"{name}.md").write_text(f"{name} text")
    (project / ".claude" / "rules" / "deep" / "a.md").write_text("the rule")
    (project / ".claude" / "rules" / "b.md").symlink_to(tmp_path / "secret")

    text = project_memory(project)

    assert [text.count(words) for words in ("the style\n", "more of it", "the rule")] == [1, 1, 1]
    assert not any(words in text for words in ("secret text", "quoted text", "fenced text"))
    assert str(tmp_path / "secret") not in text


def test_imports_end(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"{number}.md").write_text(f"<{number}> @{number + 1}.md")
    (tmp_path / "CLAUDE.md").write_text("@0.md @/dev/zero @" + "x" * 10_000)
    text = project_memory(tmp_path)
    assert "<4>" in text and "<9>" not in text
