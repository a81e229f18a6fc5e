"""What a conversation comes to, folded line by line: the row that a list shows, and the words that a search finds.

A digest can be put down and taken up again (`saved`, `Digest.of`), so that of a file that grew only what is new is
read. Where texts are not wanted, `skimming` tells most lines by a glance.
"""

import math
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from glasshouse.claude_home.blocks import CutLine
from glasshouse.claude_home.glance import is_message
from glasshouse.claude_home.lines import plain_record, read_line
from glasshouse.claude_home.titles import command_in, title_in, without_injected

PATH_OF = {"Edit": "file_path", "Write": "file_path", "MultiEdit": "file_path", "NotebookEdit": "notebook_path"}
# What nobody wrote: an answer of the CLI itself.
_NO_MODEL = "<synthetic>"
_TITLE_LIMIT, _TAGS_LIMIT = 200, 20
_NAMES_LIMIT, _FILES_LIMIT, _NAME_LENGTH = 200, 1_000, 4_096
TEXT_LIMIT = 1024 * 1024


@dataclass
class Digest:
    title: str = ""
    # Given by a person; it wins.
    custom_title: str = ""
    # Shown where there is nothing better: the session began with a command.
    command: str = ""
    tags: list[str] = field(default_factory=list)
    cwd: str | None = None
    branch: str | None = None
    model: str | None = None
    began: str | None = None
    ended: str | None = None
    messages: int = 0
    damaged: int = 0
    cost_usd: float | None = None
    tools: dict[str, None] = field(default_factory=dict)
    files: dict[str, None] = field(default_factory=dict)
    # Calls that would change a file, and have no result yet.
    editing: dict[str, str] = field(default_factory=dict)
    # Paths as they were given: most of them are given many times.
    _seen: set[str] = field(default_factory=set, init=False, compare=False)

    @classmethod
    def of(cls, saved: dict[str, Any]) -> "Digest":
        names = {part: dict.fromkeys(saved[part]) for part in ("tools", "files")}
        return cls(**{**saved, **names, "editing": {**saved["editing"]}})

    def saved(self) -> dict[str, Any]:
        told = {name: value for name, value in vars(self).items() if name != "_seen"}
        return {**told, "tools": [*self.tools], "files": [*self.files]}

    def read(self, lines: Iterable[bytes]) -> Iterator[str]:
        """Every line whole; gives the texts that were said in them."""
        for line in lines:
            for record in self._records(line):
                yield from self._see(record)

    def stands_last(self, record: dict[str, Any]) -> None:
        """What only the last of its kind tells: of a record that is counted already."""
        if record.get("type") == "cost-state":
            self._costs(record)
        else:
            self._place(record)

    def _records(self, line: bytes) -> Iterable[dict[str, Any]]:
        if isinstance(line, CutLine):
            is_one = is_message(line)
            self.messages += is_one
            self.damaged += not is_one
            return ()
        if (record := plain_record(line)) is not None:
            return (record,)
        odd = read_line(line)
        self.damaged += odd.damaged
        return odd.records

    def _see(self, record: dict[str, Any]) -> Iterator[str]:
        match record.get("type"):
            case "user" | "assistant" as kind:
                if record.get("isSidechain") is not True:
                    yield from self._message(kind, record)
            case "attachment":
                yield from self._steered(record)
            case "cost-state":
                self._costs(record)
            case "custom-title":
                self.custom_title = _text(record.get("customTitle")).strip()[:_TITLE_LIMIT]
            case "tag":
                # Claude Code has one text for all of them.
                tags = (tag.strip() for tag in _text(record.get("tag")).split(","))
                self.tags = [tag[:_TITLE_LIMIT] for tag in tags if tag][:_TAGS_LIMIT]
            case "file-history-snapshot":
                self.backed_up(record)
            case "file-history-delta":
                self.changed([record.get("trackingPath")])

    def _message(self, kind: str, record: dict[str, Any]) -> Iterator[str]:
        self.messages += 1
        self._place(record)
        message = _object(record.get("message"))
        content = message.get("content")
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        for block in blocks:
            if isinstance(block, dict):
                yield from self._block(kind, block, record)

    def _block(self, kind: str, block: dict[str, Any], record: dict[str, Any]) -> Iterator[str]:
        match block.get("type"):
            case "text" if text := _text(block.get("text")):
                yield from self._said(kind, text, is_meta=record.get("isMeta") is True)
            case "tool_use" if kind == "assistant" and isinstance(name := block.get("name"), str):
                self.used(name[:_NAME_LENGTH])
                path = _object(block.get("input")).get(PATH_OF.get(name, ""))
                if isinstance(path, str) and isinstance(block.get("id"), str):
                    self.edits(block["id"], path)
            case "tool_result" if isinstance(call := block.get("tool_use_id"), str):
                path = self.editing.pop(call, None)
                if path is not None and block.get("is_error") is not True:
                    self.changed([path])

    def _said(self, kind: str, text: str, *, is_meta: bool) -> Iterator[str]:
        if kind == "assistant":
            yield text[:TEXT_LIMIT]
            return
        if is_meta:
            return
        if not self.title and not self.command:
            self.command = command_in(text)
        own = without_injected(text)
        if not self.title:
            self.title = title_in(own)
        if own:
            yield own[:TEXT_LIMIT]

    def _steered(self, record: dict[str, Any]) -> Iterator[str]:
        """A message sent into a running turn is only an attachment."""
        attachment = _object(record.get("attachment"))
        if attachment.get("type") == "queued_command" and (text := _text(attachment.get("prompt"))):
            yield text[:TEXT_LIMIT]

    def _place(self, record: dict[str, Any]) -> None:
        """Where, when, and by whom."""
        if self.cwd is None and not record.get("isMeta") and isinstance(cwd := record.get("cwd"), str):
            self.cwd = cwd[:_NAME_LENGTH]
        if isinstance(branch := record.get("gitBranch"), str) and branch:
            self.branch = branch[:_NAME_LENGTH]
        if isinstance(moment := record.get("timestamp"), str):
            moment = moment[:40]
            self.began = self.began or moment
            self.ended = max(self.ended or moment, moment)
        model = _object(record.get("message")).get("model")
        if isinstance(model, str) and model != _NO_MODEL:
            self.model = model[:_NAME_LENGTH]

    def _costs(self, record: dict[str, Any]) -> None:
        cost = record.get("totalCostUSD")
        if isinstance(cost, int | float) and not isinstance(cost, bool) and math.isfinite(cost) and cost >= 0:
            self.cost_usd = float(cost)

    def used(self, tool: str) -> None:
        if len(self.tools) < _NAMES_LIMIT:
            self.tools[tool] = None

    def edits(self, call_id: str, path: str) -> None:
        if len(self.editing) < _NAMES_LIMIT:
            self.editing[call_id] = path

    def changed(self, paths: Iterable[Any]) -> None:
        for path in paths:
            if isinstance(path, str) and path and path not in self._seen and len(self.files) < _FILES_LIMIT:
                self.files[self._relative(path[:_NAME_LENGTH])] = None
                if self.cwd is not None:
                    self._seen.add(path)

    def backed_up(self, snapshot: dict[str, Any]) -> None:
        self.changed(_object(_object(snapshot.get("snapshot")).get("trackedFileBackups")))

    def _relative(self, path: str) -> str:
        if self.cwd is None or not path.startswith("/"):
            return os.path.normpath(path)
        path, cwd = os.path.normpath(path), os.path.normpath(self.cwd)
        return path[len(cwd) + 1 :] if path.startswith(f"{cwd}/") else path


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
