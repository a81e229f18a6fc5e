"""Which files a call changed, told from its input."""

import os
from pathlib import Path

from claude_agent_sdk import ServerToolUseBlock, ToolUseBlock

_PATH_OF = {"Edit": "file_path", "Write": "file_path", "MultiEdit": "file_path", "NotebookEdit": "notebook_path"}


def changed_files(call: ToolUseBlock | ServerToolUseBlock, working_dir: Path) -> list[str] | None:
    """Of a call that succeeded; relative to the working directory where inside it."""
    named = call.input.get(_PATH_OF.get(call.name, ""))
    if not isinstance(named, str) or not named:
        return None
    path = Path(os.path.normpath(working_dir / named))
    return [str(path.relative_to(working_dir) if path.is_relative_to(working_dir) else path)]
