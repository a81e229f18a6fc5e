"""What Claude Code keeps of sub-agents: a file each beside its session, with a sheet of facts; older versions kept
them among the sessions, or in the conversation itself as side chains.

Here are the tokens as the model's calls were counted; a price is nowhere.
"""

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from glasshouse.claude_home.files import (
    objects_in,
    read_json_object,
    resolved_inside,
)
from glasshouse.claude_home.home import ClaudeHome
from glasshouse.claude_home.lines import blocks_in, lines_of, record_in, words_in
from glasshouse.claude_home.transcripts import Transcript, find_transcript
from glasshouse.contract.agent import Agent, AgentState, TokenUsage

_FILES = 1000
_LONGEST = 500
_NAME = re.compile(r"agent-([A-Za-z0-9_-]{1,100})\.jsonl")
# Beside what is said, transcripts hold whole requests: only lines of these kinds are looked into.
_SAID = (b'"type":"assistant"', b'"type":"user"')
_SIDE = b'"isSidechain":true'


class SubAgents:
    """The port `AgentFiles`, over the user's conversations and those held with the demo model."""

    def __init__(self, *, home: ClaudeHome, offline_home: ClaudeHome) -> None:
        self._homes = (home, offline_home)

    async def of(self, session_id: str) -> list[Agent]:
        return await asyncio.to_thread(self._of, session_id)

    def _of(self, session_id: str) -> list[Agent]:
        for home in self._homes:
            if found := find_transcript(home, session_id):
                return subagents_of(found)
        return []


@dataclass
class _Story:
    """What one agent's lines come to."""

    first: dict[str, Any] = field(default_factory=dict)
    last: dict[str, Any] = field(default_factory=dict)
    prompt: str = ""
    said: str = ""
    model: str | None = None
    calls: dict[str, str] = field(default_factory=dict)
    # By message: a message has a line for each of its blocks, and each repeats the count.
    usage: dict[str, dict[str, Any]] = field(default_factory=dict)

    def see(self, line: dict[str, Any]) -> None:
        self.first = self.first or line
        self.last = line
        message = objects_in(line).get("message", {})
        if line.get("type") == "user" and not self.prompt:
            self.prompt = words_in(line)
        if line.get("type") != "assistant":
            return
        self.model = str(message.get("model") or "") or self.model
        self.usage[str(message.get("id"))] = objects_in(message).get("usage", {})
        self.said = words_in(line) or self.said
        for block in blocks_in(line):
            if block.get("type") == "tool_use":
                self.calls[str(block.get("id"))] = str(block.get("name"))

    def total(self) -> TokenUsage:
        names = TokenUsage.model_fields
        return TokenUsage(**{name: sum(_number(each.get(name)) for each in self.usage.values()) for name in names})


def subagents_of(transcript: Transcript) -> list[Agent]:
    """In the order in which they began. Blocking: reads the files of all of them."""
    found = [*_in_files(transcript), *_in_side_chains(transcript)]
    return sorted(found, key=lambda agent: agent.started_at or "")


def _in_files(transcript: Transcript) -> Iterator[Agent]:
    own = transcript.path.parent / transcript.path.stem / "subagents"
    paths = [*own.glob("agent-*.jsonl"), *own.glob("*/agent-*.jsonl"), *own.glob("*/*/agent-*.jsonl")]
    for path in islice(sorted(paths), _FILES):
        if (story := _read(path, transcript)) is not None:
            yield _agent(path, story)
    for path in islice(sorted(transcript.path.parent.glob("agent-*.jsonl")), _FILES):
        story = _read(path, transcript, session_id=transcript.session_id)
        if story is not None:
            yield _agent(path, story)


def _read(path: Path, transcript: Transcript, session_id: str | None = None) -> _Story | None:
    """None: no file of an agent, one that a link leads elsewhere, or another session's than the one that is named."""
    if _NAME.fullmatch(path.name) is None or resolved_inside(path, transcript.path.parent) is None:
        return None
    story = _Story()
    for line in _lines(path, _SAID):
        if session_id is not None and line.get("sessionId") != session_id:
            return None
        story.see(line)
    return story if story.first else None


def _agent(path: Path, story: _Story) -> Agent:
    sheet = read_json_object(path.with_suffix(".meta.json"))
    name = _NAME.fullmatch(path.name)
    assert name is not None
    return _told(
        story,
        agent_id=name[1],
        tool_use_id=_word(sheet.get("toolUseId")),
        parent=_word(sheet.get("parentAgentId")),
        type=_word(sheet.get("agentType")),
        description=(_word(sheet.get("description")) or _first_line(story.prompt))[:_LONGEST],
        state=_state(sheet, story),
        background=sheet.get("requestShape") == "background",
    )


def _state(sheet: dict[str, Any], story: _Story) -> AgentState:
    if sheet.get("stoppedByUser"):
        return AgentState.STOPPED
    message = objects_in(story.last).get("message", {})
    if sheet.get("finished") or message.get("stop_reason") == "end_turn":
        return AgentState.COMPLETED
    return AgentState.UNKNOWN


def _in_side_chains(transcript: Transcript) -> Iterator[Agent]:
    """Each begins with a line that has none before it; the lines after it name the one before them."""
    root_of: dict[str, str] = {}
    stories: dict[str, _Story] = {}
    for line in _lines(transcript.path, (_SIDE,)):
        uuid = str(line.get("uuid"))
        if line.get("type") not in ("user", "assistant") or line.get("isSidechain") is not True:
            continue
        root_of[uuid] = root = root_of.get(str(line.get("parentUuid")), uuid)
        stories.setdefault(root, _Story()).see(line)
    for root, story in islice(stories.items(), _FILES):
        yield _told(story, agent_id=root, description=_first_line(story.prompt)[:_LONGEST], state=_state({}, story))


def _told(story: _Story, **known: Any) -> Agent:
    state = known["state"]
    return Agent(
        **known,
        steps=len(story.calls),
        last_tool=next(reversed(story.calls.values()), None),
        summary=story.said[:_LONGEST] or None,
        model=story.model,
        started_at=_word(story.first.get("timestamp")),
        ended_at=None if state is AgentState.UNKNOWN else _word(story.last.get("timestamp")),
        usage=story.total(),
    )


def _lines(path: Path, marks: tuple[bytes, ...]) -> Iterator[dict[str, Any]]:
    for _, line in lines_of(path):
        if any(mark in line for mark in marks) and (record := record_in(line)).get("type") in ("user", "assistant"):
            yield record


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def _word(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
