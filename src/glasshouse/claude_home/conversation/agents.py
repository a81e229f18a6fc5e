"""The sub-agents of a session: the files that hold their conversations, and the calls that started them."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from glasshouse.claude_home.files import parse_object, read_regular, resolved_inside
from glasshouse.claude_home.transcripts import Transcript
from glasshouse.contract.message import ConversationAgent

_PREFIX, _SUFFIX = "agent-", ".jsonl"
_DEEPEST = 3
_MOST = 1_000
_META_LIMIT = 64 * 1024


@dataclass(frozen=True, slots=True)
class AgentFile:
    path: Path
    told: ConversationAgent


def agent_files(transcript: Transcript) -> list[AgentFile]:
    """In the order of their names; never out of the session's own directory."""
    own = transcript.path.with_suffix("")
    found: list[AgentFile] = []
    for path in _files(own / "subagents", _DEEPEST):
        real = resolved_inside(path, own)
        if real is not None and len(found) < _MOST:
            found.append(AgentFile(real, _told(path)))
    return found


def _files(directory: Path, deep: int) -> Iterator[Path]:
    try:
        entries = sorted(os.scandir(directory), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            if deep:
                yield from _files(Path(entry.path), deep - 1)
        elif entry.name.startswith(_PREFIX) and entry.name.endswith(_SUFFIX):
            yield Path(entry.path)


def _told(path: Path) -> ConversationAgent:
    """What Claude Code notes beside the file."""
    meta = parse_object(read_regular(path.with_suffix(".meta.json"), _META_LIMIT, follow=False) or b"")

    def text(name: str) -> str | None:
        value = meta.get(name)
        return value if isinstance(value, str) else None

    return ConversationAgent(
        agent_id=path.stem.removeprefix(_PREFIX),
        parent_tool_use_id=text("toolUseId"),
        agent_type=text("agentType"),
        description=text("description"),
    )
