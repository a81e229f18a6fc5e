"""What a conversation comes to, folded line by line: the row that a list shows, and the words that a search finds.

A digest can be put down and taken up again (`saved`, `Digest.of`), so that of a file that grew only what is new is
read. Where `texts` are not wanted, lines that are as Claude Code always writes them are told by a glance.
"""

import math
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from glasshouse.claude_home.blocks import CutLine
from glasshouse.claude_home.glance import (
    BEGINNING,
    CALL,
    COST,
    FAILED,
    NOTHING_TRACKED,
    PLAIN,
    RESULT,
    TELLING,
    is_message,
)
from glasshouse.claude_home.lines import plain_record, read_line
from glasshouse.claude_home.titles import command_in, title_in, without_injected

_PATH_OF = {"Edit": "file_path", "Write": "file_path", "MultiEdit": "file_path", "NotebookEdit": "notebook_path"}
EDITING = frozenset(name.encode() for name in _PATH_OF)
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

    @classmethod
    def of(cls, saved: dict[str, Any]) -> "Digest":
        names = {part: dict.fromkeys(saved[part]) for part in ("tools", "files")}
        return cls(**{**saved, **names, "editing": {**saved["editing"]}})

    def saved(self) -> dict[str, Any]:
        return {**vars(self), "tools": [*self.tools], "files": [*self.files]}

    def read(self, lines: Iterable[bytes]) -> Iterator[str]:
        """Every line whole; gives the texts that were said in them."""
        for line in lines:
            for record in self._records(line):
                yield from self._see(record)

    def skim(self, lines: Iterable[bytes]) -> None:
        """The same but for the texts, and for damage inside of lines that begin and end as they always do."""
        newest: dict[str, bytes] = {}
        glance = BEGINNING.match
        for line in lines:
            found = glance(line) if self.began and line[-1:] == b"}" else None
            kind = None if found is None else found.lastgroup
            # Most lines are one of these two, and all of the time goes here.
            if (kind == "said" and CALL not in line) or (kind == "result" and not self.editing):
                self.messages += 1
                newest[kind] = line
            elif not (self._plain_passed(line, newest) if found is None else self._passed(found, line, newest)):
                before = self.messages
                for _ in self.read((line,)):
                    pass
                if self.messages > before:
                    newest = {kind: one for kind, one in newest.items() if kind == "cost"}
        for line in newest.values():
            self._catch_up(line)

    def _plain_passed(self, line: bytes, newest: dict[str, bytes]) -> bool:
        if not self.began or not line.startswith(PLAIN) or line[-1:] != b"}":
            return False
        if line.startswith(COST):
            newest["cost"] = line
        return not line.startswith(TELLING) or NOTHING_TRACKED in line

    def _passed(self, found: re.Match[bytes], line: bytes, newest: dict[str, bytes]) -> bool:
        """Whether a glance was enough. What only the newest of its kind tells is put aside."""
        kind = found.lastgroup
        if kind in ("side", "attached"):
            return True
        if self._may_tell_more(kind, found, line):
            return False
        if kind == "tool":
            self._called(found)
        elif self.editing and kind == "result" and (path := self.editing.pop(_name(found["result"]), None)) is not None:
            self._files([path])
        self.messages += 1
        newest["said" if kind in ("said", "tool") else "result"] = line
        return True

    def _may_tell_more(self, kind: str | None, found: re.Match[bytes], line: bytes) -> bool:
        match kind:
            case "typed":
                return not self.title
            case "result":
                return bool(self.editing) and (line.count(RESULT) > 1 or FAILED in line)
            case "tool":
                return line.count(CALL) > 1 or (found["called"] in EDITING and found["path"] is None)
            case _:
                return CALL in line

    def _called(self, found: re.Match[bytes]) -> None:
        tool = _name(found["called"])
        self._used(tool)
        if tool in _PATH_OF:
            self._edits(_name(found["id"]), _name(found["path"]))

    def _catch_up(self, line: bytes) -> None:
        """What only the newest of the lines that were glanced at tells."""
        for record in self._records(line):
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
                self._files(_object(_object(record.get("snapshot")).get("trackedFileBackups")))
            case "file-history-delta":
                self._files([record.get("trackingPath")])

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
                self._used(name[:_NAME_LENGTH])
                path = _object(block.get("input")).get(_PATH_OF.get(name, ""))
                if isinstance(path, str) and isinstance(block.get("id"), str):
                    self._edits(block["id"], path)
            case "tool_result" if isinstance(call := block.get("tool_use_id"), str):
                path = self.editing.pop(call, None)
                if path is not None and block.get("is_error") is not True:
                    self._files([path])

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

    def _used(self, tool: str) -> None:
        if len(self.tools) < _NAMES_LIMIT:
            self.tools[tool] = None

    def _edits(self, call_id: str, path: str) -> None:
        if len(self.editing) < _NAMES_LIMIT:
            self.editing[call_id] = path

    def _files(self, paths: Iterable[Any]) -> None:
        for path in paths:
            if isinstance(path, str) and path and len(self.files) < _FILES_LIMIT:
                self.files[self._relative(path[:_NAME_LENGTH])] = None

    def _relative(self, path: str) -> str:
        if self.cwd is None or not path.startswith("/"):
            return os.path.normpath(path)
        path, cwd = os.path.normpath(path), os.path.normpath(self.cwd)
        return path[len(cwd) + 1 :] if path.startswith(f"{cwd}/") else path


def _name(found: bytes) -> str:
    return found.decode("utf-8", "replace")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
