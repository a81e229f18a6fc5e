"""What a directory carries that would run."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from glasshouse.claude_home import ClaudeHome
from glasshouse.claude_home.carried import Carried, carried_by
from glasshouse.claude_home.carried.item import LONGEST_WHAT
from glasshouse.claude_home.carried.texts import runs

HOOK = {"type": "command", "command": "touch canary"}
PLAIN_SKILL = "---\nname: tidy\ndescription: >\n  Tidies up,\n  and more\ntags:\n- a\n---\nTidy `up`!\n"


def hooks(**hook: Any) -> dict[str, Any]:
    return {"hooks": {"Stop": [{"matcher": "Bash", "hooks": [{**HOOK, **hook}]}]}}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = tmp_path / "home" / "repo"
    (path / ".git").mkdir(parents=True)
    return path


def scan(directory: Path) -> Carried:
    root = next(path for path in (directory, *directory.parents) if path.name == "home" or path.parent == path)
    return carried_by(directory, ClaudeHome.at(root / ".claude"), root)


def write(path: Path, content: str | bytes | dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, dict):
        content = json.dumps(content)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def told(directory: Path) -> list[tuple[str, str, str]]:
    return [(each["kind"], each["path"], each["name"]) for each in scan(directory).shown()]


def test_words_do_not_ask(project: Path) -> None:
    write(project / "CLAUDE.md", "Run `rm -rf /` with !`ls`.")
    write(project / ".claude" / "rules" / "a.md", "a rule")
    write(project / ".claude" / "skills" / "tidy" / "SKILL.md", PLAIN_SKILL)
    write(project / ".claude" / "skills" / "tidy" / "tidy.sh", "rm -rf /")
    write(project / ".claude" / "commands" / "say.md", "Say $ARGUMENTS!")
    write(project / ".claude" / "agents" / "a.md", "---\nname: a\ndescription: b\ntools: Read, Bash\n---\nWords")
    plain = {"model": "opus", "permissions": {"deny": ["Read(.env)"], "ask": ["Bash"]}, "hooks": {}, "env": {}}
    write(project / ".claude" / "settings.json", plain)
    write(project / ".mcp.json", {"mcpServers": {}})

    assert scan(project).items == () and scan(project).digest == ""


def test_all_that_settings_start_is_told_with_what_it_is(project: Path) -> None:
    settings = {
        **hooks(),
        "env": {"NODE_OPTIONS": "--require ./x.js", "MY_TOKEN": "s3cret"},
        "apiKeyHelper": "./key.sh",
        "statusLine": {"type": "command", "command": "./line.sh"},
        "permissions": {"allow": ["Bash(*)"], "deny": ["Read"], "defaultMode": "acceptEdits"},
        "enabledPlugins": {"a@b": True, "c@d": False},
        "extraKnownMarketplaces": {"b": {"source": {"source": "github", "repo": "x/y"}}},
        "somethingNew": True,
        "disableAllHooks": True,
    }
    write(project / ".claude" / "settings.json", settings)
    write(project / ".claude" / "settings.local.json", hooks(command="", url="https://x.example", type="http"))
    found = {(each["kind"], each["name"]): each["what"] for each in scan(project).shown()}

    assert found[("hook", "Stop (Bash)")] in ("touch canary", "")
    assert found[("variable", "NODE_OPTIONS")] == "--require ./x.js"
    assert found[("variable", "MY_TOKEN")] == "••••"
    assert found[("helper", "apiKeyHelper")] == "./key.sh"
    assert found[("helper", "statusLine")] == "./line.sh"
    assert found[("permission", "allow")] == "Bash(*)"
    assert found[("permission", "defaultMode")] == "acceptEdits"
    assert ("plugin", "a@b") in found and ("plugin", "c@d") not in found and ("plugin", "b") in found
    assert ("setting", "somethingNew") in found and ("setting", "disableAllHooks") in found
    assert ("permission", "deny") not in found
    assert sum(each.path.name == "settings.local.json" for each in scan(project).items) == 1


def test_servers_are_found_in_every_directory_above(project: Path) -> None:
    server = {"command": "node", "args": ["s.js"], "env": {"KEY": "secret"}}
    write(project.parent.parent / ".mcp.json", {"mcpServers": {"above": server}})
    write(project / "a" / ".mcp.json", {"mcpServers": {"here": {"type": "http", "url": "https://x.example"}}})
    [here, above] = scan(project / "a").shown()

    assert (here["name"], here["what"], here["path"]) == ("here", "https://x.example", ".mcp.json")
    assert (above["name"], above["what"]) == ("above", "KEY=… node s.js")
    assert above["path"] == str(project.parent.parent / ".mcp.json")


def test_settings_of_the_repositorys_root_are_found_as_far_as_claude_code_reads_them(project: Path) -> None:
    below = project / "a" / "b"
    below.mkdir(parents=True)
    write(project / ".claude" / "settings.json", hooks())
    write(project / "a" / ".claude" / "settings.local.json", hooks())
    assert told(below) == []
    write(project / ".claude" / "settings.local.json", hooks())
    write(project / "a" / ".claude" / "skills" / "x" / "SKILL.md", "!`ls`")
    write(project.parent / ".claude" / "skills" / "x" / "SKILL.md", "!`ls`")

    assert [(kind, Path(path).relative_to(project)) for kind, path, _ in told(below)] == [
        ("hook", Path(".claude/settings.local.json")),
        ("skill", Path("a/.claude/skills/x/SKILL.md")),
    ]


def test_a_worktree_carries_what_its_main_repository_has(tmp_path: Path) -> None:
    main, tree = tmp_path / "home" / "main", tmp_path / "home" / "tree"
    main.mkdir(parents=True)
    git = ("git", "-C", str(main), "-c", "user.name=a", "-c", "user.email=a@b.c")
    for command in (("init", "-q"), ("commit", "-q", "--allow-empty", "-m", "x"), ("worktree", "add", "-q", str(tree))):
        subprocess.run([*git, *command], check=True, capture_output=True)
    write(main / ".claude" / "settings.local.json", hooks())
    write(main / ".claude" / "agents" / "a.md", "---\nname: a\nhooks: {}\n---\n")

    assert [kind for kind, _, _ in told(tree)] == ["hook", "agent"]


@pytest.mark.parametrize(
    "text",
    [
        "Look: !`git status`",
        "```!\nls\n```",
        "in the middle ```!\nls\n``` of it",
        "over !`two\nlines` of it",
        "Run !$ARGUMENTS",
        "\ufeff!`ls`",
        "---\nallowed-tools: Bash(*)\n---\n",
        "---\nname: x\nhooks:\n  Stop: []\n---\n",
        '---\n"hooks": {}\n---\n',
        "---\n? hooks\n: {}\n---\n",
        "---\n  name: x\n  hooks: {}\n---\n",
        "---\n{hooks: {}}\n---\n",
        "---\n<<: *x\n---\n",
        "\ufeff---\r\nname: x\r\nhooks: {}\r\n---\r\n",
        "---\nname: x\nmcpServers: []\n",
        "---\nname: x\u2028hooks: {}\n---\n",
        "---\npermissionMode: bypassPermissions\n---\n",
        "---\n# all\n  hooks: {}\n---\n",
    ],
)
def test_a_text_that_runs_something_or_brings_rights_along_is_seen(text: str) -> None:
    assert runs(text)


@pytest.mark.parametrize("text", ["", "no head", "---", "Wow!", "----\n", "---\n---\nhooks: x", PLAIN_SKILL])
def test_a_plain_text_is_plain(text: str) -> None:
    assert not runs(text)


def test_the_digest_changes_with_all_that_would_run_and_with_nothing_else(project: Path) -> None:
    settings = project / ".claude" / "settings.json"
    script = write(project / "scripts" / "check.sh", "echo 1")
    write(settings, hooks(command="sh $CLAUDE_PROJECT_DIR/scripts/check.sh"))
    first = scan(project).digest
    write(settings, json.dumps(hooks(command="sh $CLAUDE_PROJECT_DIR/scripts/check.sh"), indent=4) + "\n")
    write(project / "README.md", "anything")
    write(project / ".claude" / "skills" / "tidy" / "SKILL.md", PLAIN_SKILL)
    assert scan(project).digest == first

    write(script, "echo 2")
    second = scan(project).digest
    write(settings, hooks(command="sh scripts/check.sh", timeout=3))
    third = scan(project).digest
    command = write(project / ".claude" / "commands" / "c.md", "!`a`")
    fourth = scan(project).digest
    write(command, "!`a` and words")
    assert len({first, second, third, fourth, scan(project).digest}) == 5
    write(script, "echo 1")
    write(settings, hooks(command="sh $CLAUDE_PROJECT_DIR/scripts/check.sh"))
    command.unlink()
    assert scan(project).digest == first


@pytest.mark.parametrize(
    ("command", "counts"),
    [
        ("./it", True),
        ("bash -e it", True),
        ("cd x && ${CLAUDE_PROJECT_DIR}/it --now", True),
        ("echo done >> it", False),
        ("cat it", False),
        ("sh ../it", False),
    ],
)
def test_a_program_that_a_command_names_counts_and_what_it_writes_does_not(
    project: Path, command: str, counts: bool
) -> None:
    it = project / "it"
    it.write_text("first")
    if command.startswith(("./", "cd")):
        it.chmod(0o755)
    write(project / ".claude" / "settings.json", hooks(command=command))
    before = scan(project).digest
    it.write_text("second")
    assert (scan(project).digest != before) is counts


# faults: B3 B5
@pytest.mark.parametrize("content", [b"{", b"[1]", b'"x"', b"\xff\xfe{}", b"{} // no", b"x" * (1024 * 1024 + 1)])
def test_what_cannot_be_read_may_be_anything(project: Path, content: bytes) -> None:
    for path in (project / ".claude" / "settings.json", project / ".mcp.json"):
        write(path, content)
    assert [kind for kind, _, _ in told(project)] == ["unreadable", "unreadable"]


def test_what_is_no_file_or_leads_elsewhere_may_be_anything(project: Path, tmp_path: Path) -> None:
    outside = write(tmp_path / "outside.json", hooks())
    folder = project / ".claude"
    (folder / "skills").mkdir(parents=True)
    (folder / "settings.json").symlink_to(outside)
    os.mkfifo(folder / "settings.local.json")
    (project / ".mcp.json").mkdir()
    (tmp_path / "shared").mkdir()
    (folder / "skills" / "theirs").symlink_to(tmp_path / "shared")
    (folder / "skills" / "loop").symlink_to(folder / "skills")

    found = scan(project).shown()
    assert {each["kind"] for each in found} == {"unreadable"}
    named = [each["path"] for each in found]
    assert {".claude/settings.json", ".claude/settings.local.json", ".mcp.json", ".claude/skills/theirs"} <= {*named}
    # What is elsewhere is not shown, and still it counts.
    assert "touch canary" not in str(found)
    before = scan(project).digest
    write(outside, hooks(command="touch another"))
    assert scan(project).digest != before


def test_links_within_the_project_are_followed(project: Path) -> None:
    write(project / "shared" / "tidy" / "SKILL.md", PLAIN_SKILL)
    (project / ".claude").mkdir()
    (project / ".claude" / "skills").symlink_to(project / "shared")
    assert told(project) == []
    write(project / "shared" / "tidy" / "SKILL.md", "!`ls`")
    assert told(project) == [("skill", ".claude/skills/tidy/SKILL.md", "tidy")]


def test_a_folder_linked_to_the_outside_may_be_anything(project: Path, tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    (project / ".claude").symlink_to(tmp_path / "theirs")
    assert told(project) == []
    write(tmp_path / "theirs" / "commands" / "c.md", "plain")
    assert [kind for kind, _, _ in told(project)] == ["unreadable"]


def test_more_than_can_be_looked_through_may_be_anything(project: Path) -> None:
    folder = project / ".claude" / "skills" / "many"
    folder.mkdir(parents=True)
    for number in range(2_100):
        (folder / f"{number}.txt").touch()
    assert [kind for kind, _, _ in told(project)] == ["unreadable"]


def test_workflows_schedules_and_plugins_in_a_skill_are_seen(project: Path) -> None:
    write(project / ".claude" / "workflows" / "w.js", "x")
    write(project / ".claude" / "scheduled_tasks.json", "[]")
    write(project / ".claude" / "skills" / "p" / ".claude-plugin" / "plugin.json", {})
    assert sorted(kind for kind, _, _ in told(project)) == ["plugin", "schedule", "workflow"]


def test_the_users_own_home_carries_nothing(tmp_path: Path) -> None:
    home = tmp_path / "home"
    write(home / ".claude" / "settings.json", hooks())
    write(home / ".claude" / "skills" / "x" / "SKILL.md", "!`ls`")
    (home / "work").mkdir()
    assert told(home) == [] and told(home / "work") == []


def test_what_would_deceive_a_reader_is_spelled_out_and_what_is_long_is_cut(project: Path) -> None:
    write(project / ".claude" / "settings.json", hooks(command="echo \u202e\x1b[2J" + "x" * 10_000))
    os.mkdir(os.fsencode(project / ".claude") + b"/commands")  # noqa: PTH102
    with open(os.fsencode(project / ".claude") + b"/commands/\xff.md", "w") as odd:  # noqa: PTH123
        odd.write("!`ls`")
    hook, command = scan(project).shown()
    assert hook["what"].startswith("echo \\u202e\\u001b[2Jxxx") and len(hook["what"]) == LONGEST_WHAT
    assert json.dumps(command).encode() and command["name"].isprintable()


def test_nothing_is_carried_where_nothing_is(tmp_path: Path) -> None:
    assert scan(tmp_path / "gone").items == ()
