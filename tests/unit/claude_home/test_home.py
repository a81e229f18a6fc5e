"""Where things are, who can sign in, and which MCP servers are the user's."""

import json
from pathlib import Path
from typing import Any

import pytest

from glasshouse.claude_home import ClaudeHome
from glasshouse.claude_home import settings as settings_module
from glasshouse.claude_home.credentials import has_credentials
from glasshouse.claude_home.mcp_servers import user_mcp_servers


def _write(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ClaudeHome:
    monkeypatch.setattr(settings_module, "MANAGED_SETTINGS", tmp_path / "managed-settings.json")
    return ClaudeHome.at(tmp_path / "claude")


def test_the_state_file_is_beside_the_default_directory_and_inside_a_named_one(tmp_path: Path) -> None:
    default = ClaudeHome.of({}, tmp_path)
    named = ClaudeHome.of({"CLAUDE_CONFIG_DIR": "/elsewhere"}, tmp_path)

    assert (default.config_dir, default.state_file) == (tmp_path / ".claude", tmp_path / ".claude.json")
    assert (named.config_dir, named.state_file) == (Path("/elsewhere"), Path("/elsewhere/.claude.json"))
    assert default.environment == {} and named.environment == {"CLAUDE_CONFIG_DIR": "/elsewhere"}


def test_an_empty_home_has_no_credentials(home: ClaudeHome) -> None:
    assert not has_credentials(home, {"ANTHROPIC_API_KEY": "", "CLAUDE_CODE_USE_BEDROCK": "0", "OTHER_KEY": "x"})


@pytest.mark.parametrize(
    "name",
    [
        *("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
        *("CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"),
    ],
)
def test_a_variable_is_enough_in_the_environment_and_in_the_users_settings(home: ClaudeHome, name: str) -> None:
    assert has_credentials(home, {name: "1"})
    _write(home.settings_file, {"env": {name: "1"}})
    assert has_credentials(home, {})


@pytest.mark.parametrize(
    ("file", "content"),
    [
        (".credentials.json", {"claudeAiOauth": {"accessToken": "x"}}),
        ("settings.json", {"apiKeyHelper": "pass show key"}),
        (".claude.json", {"oauthAccount": {"emailAddress": "a@example.com"}}),
        (".claude.json", {"primaryApiKey": "x"}),
        ("../managed-settings.json", {"apiKeyHelper": "pass show key"}),
    ],
)
def test_a_sign_in_on_disk_is_found(home: ClaudeHome, file: str, content: dict[str, Any]) -> None:
    home.config_dir.mkdir()
    _write(home.config_dir / file, content)

    assert has_credentials(home, {})


@pytest.mark.parametrize("content", ["", "{", "[]", '{"env": 3}', "[" * 100_000, {"mcpOAuth": {}}])
def test_damaged_or_unrelated_files_are_no_credentials(home: ClaudeHome, content: object) -> None:
    for name in (".credentials.json", "settings.json", ".claude.json"):
        _write(home.config_dir / name, content)

    assert not has_credentials(home, {})


def test_the_users_servers_are_those_for_all_directories_and_those_for_this_one(home: ClaudeHome) -> None:
    state = {
        "mcpServers": {"mine": {"command": "a"}, "replaced": {"command": "b"}, "off": {"command": "c"}, "odd": 3},
        "projects": {
            "/work/a": {
                "mcpServers": {"here": {"command": "d"}, "replaced": {"command": "e"}},
                "disabledMcpServers": ["off"],
            },
            "/work/b": {"mcpServers": {"there": {"command": "f"}}},
        },
    }
    _write(home.state_file, state)

    assert user_mcp_servers(home, Path("/work/a")) == {
        "mine": {"command": "a"},
        "replaced": {"command": "e"},
        "here": {"command": "d"},
    }


def test_servers_that_belong_to_the_repository_hold_below_its_root(home: ClaudeHome, tmp_path: Path) -> None:
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "repo" / "sub").mkdir()
    _write(home.state_file, {"projects": {str(tmp_path / "repo"): {"mcpServers": {"here": {"command": "a"}}}}})

    assert set(user_mcp_servers(home, tmp_path / "repo" / "sub")) == {"here"}
