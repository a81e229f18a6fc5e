"""What stands between two lines of dashes at the head of a Markdown file, read as generously as Claude Code reads it.

It is YAML where it is well written; a value that YAML would refuse is taken as it stands.
"""

import re
from dataclasses import dataclass

_HEAD = re.compile(r"\A---[ \t]*\r?\n(?P<fields>.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_FIELD = re.compile(r"(?P<name>[A-Za-z][\w-]*):(?:[ \t]+(?P<value>.*?))?[ \t]*\Z")
# Folded and literal blocks, with what may stand behind their signs.
_BLOCK = re.compile(r"[|>][-+0-9]*(?:[ \t]+#.*)?")
_QUOTED = re.compile(r"""(?P<quote>['"])(?P<text>.*)(?P=quote)""", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Document:
    fields: dict[str, str]
    body: str

    @property
    def first_line(self) -> str:
        return next((line.strip("# \t") for line in self.body.splitlines() if line.strip("# \t")), "")


def read_document(text: str) -> Document:
    text = text.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")
    head = _HEAD.match(text)
    return Document({}, text) if head is None else Document(_fields(head["fields"]), text[head.end() :])


def _fields(head: str) -> dict[str, str]:
    fields: dict[str, str] = {}
    name = ""
    for line in head.splitlines():
        if found := _FIELD.match(line):
            name = found["name"]
            value = found["value"] or ""
            fields[name] = "" if _BLOCK.fullmatch(value) else value
        elif name and line[:1] in (" ", "\t") and line.strip():
            fields[name] = f"{fields[name]} {line.strip()}".strip()
    return {name: _unquoted(value) for name, value in fields.items()}


def _unquoted(value: str) -> str:
    quoted = _QUOTED.fullmatch(value)
    return value if quoted is None else quoted["text"]
