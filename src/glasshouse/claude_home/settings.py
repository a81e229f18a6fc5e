"""Settings files, as far as we must know them: which variables they set, and whether a program gives the key."""

from pathlib import Path
from typing import Any

from glasshouse.claude_home.carried.places import settings_files
from glasshouse.claude_home.files import read_json_object
from glasshouse.claude_home.home import ClaudeHome

MANAGED_SETTINGS = Path("/etc/claude-code/managed-settings.json")


def settings_of(home: ClaudeHome) -> list[dict[str, Any]]:
    """The settings that hold in every directory: the user's, and the organisation's."""
    return [read_json_object(home.settings_file), read_json_object(MANAGED_SETTINGS)]


def settings_of_project(working_dir: Path) -> list[dict[str, Any]]:
    return [read_json_object(path) for path in settings_files(working_dir)]


def acts_at_start(home: ClaudeHome, working_dir: Path) -> bool:
    """Whether programs run, or may, because a session starts: at that moment, and for that session. Blocking."""
    above = [
        settings for directory in (working_dir, *working_dir.parents) for settings in settings_of_project(directory)
    ]
    for settings in (*settings_of(home), *above):
        hooks = settings.get("hooks")
        # What a plugin hooks in is written elsewhere.
        if settings.get("enabledPlugins") or (isinstance(hooks, dict) and hooks.get("SessionStart")):
            return True
    return False


def variables_in(settings: dict[str, Any]) -> dict[str, str]:
    """What the settings' `env` puts into the environment."""
    block = settings.get("env")
    if not isinstance(block, dict):
        return {}
    return {name: str(value) for name, value in block.items()}
