"""Which Claude Code is run: the one in the SDK's wheel, so that what was tested is what runs."""

import importlib.util
import shutil
from pathlib import Path


def bundled_cli() -> Path | None:
    sdk = importlib.util.find_spec("claude_agent_sdk")
    bundled = Path(sdk.origin).parent / "_bundled" / "claude" if sdk and sdk.origin else None
    return bundled if bundled is not None and bundled.is_file() else None


def build_of(program: Path) -> str | None:
    """Tells one program from another, also of the same version; None if there is none."""
    try:
        status = program.stat()
    except OSError:
        return None
    return f"{status.st_size}-{status.st_mtime_ns}"


def claude_code() -> Path:
    """Where the wheel has none for this system, the one that is installed; else a path that says what is missing."""
    return bundled_cli() or Path(shutil.which("claude") or "claude")
