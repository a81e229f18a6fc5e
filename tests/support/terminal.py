"""Transcripts as Claude Code writes them, to be put where it does."""

import json
from pathlib import Path
from typing import Any
from uuid import uuid4

MOMENT = "2026-11-19T21:15:{:02d}.327Z"


class Transcript:
    """Of one session; each line has a moment of its own, in the order of writing."""

    def __init__(self, root: Path, cwd: str, session_id: str = "") -> None:
        self.id = session_id or str(uuid4())
        self.cwd = cwd
        self._parent: str | None = None
        self._written = 0
        folder = root / "".join(letter if letter.isalnum() else "-" for letter in cwd)
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"{self.id}.jsonl"

    def prompt(self, text: Any, **fields: Any) -> "Transcript":
        return self.message("user", {"role": "user", "content": text}, permissionMode="default", **fields)

    def says(self, text: str, **fields: Any) -> "Transcript":
        return self.message("assistant", _assistant([{"type": "text", "text": text}]), **fields)

    def calls(self, tool: str, call_id: str = "", *, at: str = "", **given: Any) -> "Transcript":
        call = {"type": "tool_use", "id": call_id or f"toolu_{uuid4().hex}", "name": tool, "input": given}
        return self.message("assistant", _assistant([call]), **({"timestamp": at} if at else {}))

    def result(self, call_id: str, content: str = "ok", *, is_error: bool = False) -> "Transcript":
        result = {"tool_use_id": call_id, "type": "tool_result", "content": content, "is_error": is_error}
        return self.message("user", {"role": "user", "content": [result]}, toolUseResult={"stdout": content})

    def message(self, kind: str, message: dict[str, Any], **fields: Any) -> "Transcript":
        before, self._parent = self._parent, str(uuid4())
        what = {"type": kind, "message": message} if kind == "user" else {"message": message, "type": kind}
        moment = MOMENT.format(self._written % 60)
        place = {"timestamp": moment, "cwd": self.cwd, "sessionId": self.id, "version": "2.1.327", "gitBranch": "main"}
        line = {"parentUuid": before, "isSidechain": False, **what, "uuid": self._parent, **place}
        return self.line({**line, **fields})

    def cost(self, dollars: float) -> "Transcript":
        return self.line({"type": "cost-state", "sessionId": self.id, "totalCostUSD": dollars})

    def line(self, record: Any) -> "Transcript":
        return self.raw(json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")

    def raw(self, data: bytes) -> "Transcript":
        self._written += 1
        with self.path.open("ab") as file:
            file.write(data)
        return self


def _assistant(content: list[dict[str, Any]]) -> dict[str, Any]:
    named = {"id": f"msg_{uuid4().hex}", "type": "message", "role": "assistant", "model": "claude-opus-5-5"}
    return {**named, "content": content, "stop_reason": "tool_use", "usage": {"input_tokens": 1}}
