"""One thing that a directory carries and that would run, in words that can be shown."""

import hashlib
import json
import os
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

LONGEST_WHAT = 2_000


class Kind(StrEnum):
    HOOK = "hook"
    VARIABLE = "variable"
    HELPER = "helper"
    PERMISSION = "permission"
    MCP_SERVER = "mcp_server"
    PLUGIN = "plugin"
    COMMAND = "command"
    SKILL = "skill"
    AGENT = "agent"
    WORKFLOW = "workflow"
    SCHEDULE = "schedule"
    SETTING = "setting"
    # What cannot be read, or leads elsewhere, may be anything.
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Item:
    """`fingerprint` is of all that it is, also of what `what` does not show."""

    kind: Kind
    path: Path
    name: str
    what: str
    fingerprint: str


def item(kind: Kind, path: Path, name: str, what: str, *content: object) -> Item:
    """`content` is what changes when the thing does; by default what is shown of it."""
    return Item(kind, path, shown(name)[:200], shown(what)[:LONGEST_WHAT], fingerprint(*(content or (what,))))


def fingerprint(*content: object) -> str:
    digest = hashlib.sha256()
    for part in content:
        raw = part if isinstance(part, bytes) else canonical(part).encode(errors="surrogatepass")
        digest.update(b"%d:" % len(raw) + raw)
    return digest.hexdigest()


def canonical(value: Any) -> str:
    """The same text for the same value."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str)


def shown(text: str) -> str:
    """What would hide, turn around or break what a person reads is spelled out."""
    return "".join(letter if letter.isprintable() or letter in "\n\t" else _spelled(letter) for letter in text)


def shown_path(path: Path, working_dir: Path) -> str:
    inside = path.relative_to(working_dir) if path.is_relative_to(working_dir) else path
    return shown(os.fsencode(inside).decode(errors="replace"))


def _spelled(letter: str) -> str:
    return f"\\u{ord(letter):04x}"
