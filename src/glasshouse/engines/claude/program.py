"""Which Claude Code is run: the one in the SDK's wheel, so that what was tested is what runs."""

import importlib.util
import shutil
from pathlib import Path


def bundled_cli() -> Path | None:
    sdk = importlib.util.find_spec("claude_agent_sdk")
    bundled = Path(sdk.origin).parent / "_bundled" / "claude" if sdk and sdk.origin else None
    return bundled if bundled is not None and bundled.is_file() else None


def claude_code() -> Path:
    """Where the wheel has none for this system, the one that is installed; else a path that says what is missing."""
    return bundled_cli() or Path(shutil.which("claude") or "claude")
