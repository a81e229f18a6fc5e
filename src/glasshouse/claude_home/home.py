"""Where one Claude Code keeps its things: the user's own, or the demo model's."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_VARIABLE = "CLAUDE_CONFIG_DIR"


@dataclass(frozen=True)
class ClaudeHome:
    """`environment` is what makes a Claude Code use this home."""

    config_dir: Path
    _state_file: Path
    environment: Mapping[str, str]

    @classmethod
    def of(cls, environment: Mapping[str, str], user_home: Path) -> "ClaudeHome":
        """The home that Claude Code itself would use, started by this user with this environment."""
        named = environment.get(_VARIABLE)
        if named:
            return cls.at(Path(named))
        # Naming the default directory would move the state file: it is beside it only when nothing is named.
        return cls(user_home / ".claude", user_home / ".claude.json", {})

    @classmethod
    def at(cls, config_dir: Path) -> "ClaudeHome":
        return cls(config_dir, config_dir / ".claude.json", {_VARIABLE: str(config_dir)})

    @property
    def state_file(self) -> Path:
        """Accounts, MCP servers and projects; older installations have it under another name."""
        older = self.config_dir / ".config.json"
        return older if older.is_file() else self._state_file

    @property
    def settings_file(self) -> Path:
        return self.config_dir / "settings.json"

    @property
    def transcripts_dir(self) -> Path:
        return self.config_dir / "projects"
