"""The first page of a large session, nothing known of it yet, beside reading its file once."""

import asyncio
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from time import perf_counter
from unittest import mock
from uuid import UUID

import orjson

from benchmarks.figure import AtMostTimes, Figure
from benchmarks.turns import in_turns
from glasshouse.claude_home import ClaudeHome
from glasshouse.claude_home.conversation import ConversationReader
from glasshouse.core.ports import MessagesWanted

ROUNDS = 15
SIZE = 6_000_000
TARGET = 1.0
_SESSION = "00000000-0000-4000-8000-000000000000"
_PAGE = MessagesWanted(limit=50, newest_first=True)


def measure(rounds: int = ROUNDS, size: int = SIZE) -> Figure:
    with tempfile.TemporaryDirectory(prefix="glasshouse-bench-") as folder:
        home = ClaudeHome.at(Path(folder))
        path = home.transcripts_dir / "-work" / f"{_SESSION}.jsonl"
        path.parent.mkdir(parents=True)
        path.write_bytes(b"".join(_transcript(size)))
        known = ConversationReader(home=home, offline_home=home)
        baseline, measured = in_turns(
            rounds,
            lambda: _read_once(path),
            lambda: _page(ConversationReader(home=home, offline_home=home)),
        )
        again, by_sdk = in_turns(max(1, rounds // 3), lambda: _page(known), lambda: _by_sdk(folder))
    return Figure(
        what=f"first page of {size / 1_000_000:g} MB",
        unit="ms",
        baseline_is="the file read once, line by line, with orjson",
        baseline=baseline,
        measured=measured,
        target=AtMostTimes(TARGET),
        note=f"once it is known: {again.p50:.1f} ms; the SDK's get_session_messages: {by_sdk.p50:.0f} ms",
    )


def _by_sdk(folder: str) -> float:
    from claude_agent_sdk import get_session_messages  # noqa: PLC0415 - half a second

    with mock.patch.dict(os.environ, {"CLAUDE_CONFIG_DIR": folder}):
        begun = perf_counter()
        found = get_session_messages(_SESSION, limit=_PAGE.limit)
        assert len(found) == _PAGE.limit
        return (perf_counter() - begun) * 1000


def _read_once(path: Path) -> float:
    begun = perf_counter()
    with path.open("rb") as file:
        for line in file:
            orjson.loads(line)
    return (perf_counter() - begun) * 1000


def _page(reader: ConversationReader) -> float:
    begun = perf_counter()
    found = asyncio.run(reader.page(_SESSION, _PAGE, offline=False))
    assert found is not None and len(found.bodies) == _PAGE.limit
    return (perf_counter() - begun) * 1000


class _Lines:
    """As Claude Code writes them: the message first, then what belongs to the line."""

    def __init__(self) -> None:
        self._last: str | None = None
        self._count = 0

    def line(self, *, behind: Mapping[str, object] | None = None, **more: object) -> bytes:
        self._count += 1
        uuid = str(UUID(int=self._count))
        line = {
            "parentUuid": self._last,
            "isSidechain": False,
            **more,
            "uuid": uuid,
            "timestamp": "2026-01-01T00:00:00.000Z",
            **(behind or {}),
            "userType": "external",
            "entrypoint": "sdk-py",
            "cwd": "/work",
            "sessionId": _SESSION,
            "version": "2.1.327",
            "gitBranch": "main",
        }
        self._last = uuid
        return json.dumps(line, separators=(",", ":")).encode() + b"\n"

    def said(self, number: int, block: Mapping[str, object]) -> bytes:
        usage = {"input_tokens": 6592, "output_tokens": 43, "service_tier": "standard", "server_tool_use": {"x": 0}}
        message = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": "m", "content": [block]}
        return self.line(message={**message, "usage": usage, "stop_reason": None}, requestId="req_1", type="assistant")

    def instructions(self) -> list[bytes]:
        """What Claude Code keeps of its own requests."""
        text = 'You are an agent.\n- "Do" what the user asks, and nothing else.\n' * 300
        return [
            _beside("api-request-shape", shape={"system": [{"type": "text", "text": text}]}),
            self.line(attachment={"type": "prompt_snapshot", "systemPrompt": [text]}, type="attachment"),
        ]

    def turn(self, number: int) -> list[bytes]:
        output = 'src/module.py:12:\tprint("a line of a program\'s output", file=sys.stderr)  # 字\n' * (number % 60)
        call = {"type": "tool_use", "id": f"toolu_{number}", "name": "Bash", "input": {"command": "rg -n module src"}}
        result = {"tool_use_id": f"toolu_{number}", "type": "tool_result", "content": output, "is_error": False}
        request = {"id": str(number), "tail": ["0" * 64] * 6, "params": {"model": "m" * 400}}
        return [
            *(self.instructions() if number % 20 == 0 else ()),
            _beside("api-request", **request),
            _beside("tools-used", tools=["Bash"]),
            self.said(number, {"type": "thinking", "thinking": "What is there to do? " * 20, "signature": "c2ln" * 80}),
            self.said(number, {"type": "text", "text": "I look at it. " * 8}),
            self.said(number, call),
            self.line(
                type="user",
                message={"role": "user", "content": [result]},
                behind={"toolUseResult": {"stdout": output, "stderr": "", "interrupted": False}},
            ),
        ]


def _beside(kind: str, **more: object) -> bytes:
    """A line that is no link of the chain."""
    return json.dumps({"type": kind, "sessionId": _SESSION, **more}, separators=(",", ":")).encode() + b"\n"


def _transcript(size: int) -> list[bytes]:
    lines = _Lines()
    written: list[bytes] = []
    held = number = 0
    while held < size:
        turn = lines.turn(number)
        if number % 10 == 0:
            turn.insert(
                0, lines.line(type="user", message={"role": "user", "content": "Go on."}, permissionMode="default")
            )
        written += turn
        held += sum(map(len, turn))
        number += 1
    return written
