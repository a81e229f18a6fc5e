"""What a person has allowed: once, for precisely one call that has lost its process; or for the whole session."""

import asyncio
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from glasshouse.claude_home.files import read_regular
from glasshouse.core.ports import Call, QuestionRecord, Run
from glasshouse.engines.claude.answering import allowed_input, is_allowed
from glasshouse.engines.claude.asking import ALLOW_SESSION, canonical

SPENT = "spent"
_FILE_LIMIT = 64 * 1024 * 1024


class Approvals:
    """Each is good for one call, of this tool with this input. It is spent, durably, before it is given: what a crash
    then leaves without a result is not run again by itself."""

    def __init__(self, run: Run, calls: Sequence[Call]) -> None:
        self._run = run
        self._open = [call for call in calls if is_allowed(call.roots[0])]
        self._turn = asyncio.Lock()

    async def spend(self, tool: str, tool_input: Mapping[str, Any]) -> bool:
        async with self._turn:
            for call in self._open:
                record = call.roots[0]
                wanted = (record.subject["tool_name"], canonical(allowed_input(record)), record.memo["file"])
                if wanted == (tool, canonical(tool_input), await asyncio.to_thread(file_of, tool_input)):
                    self._open.remove(call)
                    await self._run.told(call.call_id, SPENT)
                    return True
        return False


class SessionGrants:
    """Precisely the same call, and what Claude Code's own rules for it cover: they need its own matching."""

    def __init__(self) -> None:
        self.rules: list[str] = []
        self._calls: set[tuple[str, str]] = set()

    @classmethod
    def of(cls, answered: Iterable[QuestionRecord]) -> "SessionGrants":
        grants = cls()
        for record in answered:
            if record.answer == ALLOW_SESSION:
                grants.add(record.subject["tool_name"], allowed_input(record), record.memo["rules"])
        return grants

    def add(self, tool: str, tool_input: Mapping[str, Any], rules: Sequence[str]) -> None:
        self.rules += [rule for rule in rules if rule not in self.rules]
        self._calls.add((tool, canonical(tool_input)))

    def hold_for(self, tool: str, tool_input: Mapping[str, Any]) -> bool:
        return (tool, canonical(tool_input)) in self._calls


def file_of(tool_input: Mapping[str, Any]) -> str | None:
    """What the file held that a call is about to change: a person approves of a difference. Blocking."""
    path = tool_input.get("file_path") or tool_input.get("notebook_path")
    content = read_regular(Path(path), _FILE_LIMIT) if isinstance(path, str) else None
    return None if content is None else hashlib.sha256(content).hexdigest()
