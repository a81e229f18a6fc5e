"""Commands, skills and agents are texts for the model; which of them run something, or bring rights along."""

import re
from collections.abc import Mapping

# What a head may say without anything running. All else may: a head is not understood here, only known to be plain.
_PLAIN = frozenset(
    (
        *("name", "description", "argument-hint", "arguments", "when_to_use", "when-to-use", "model", "effort"),
        *("color", "version", "license", "author", "tags", "category", "title", "metadata", "compatibility"),
        *("user-invocable", "disable-model-invocation", "tools", "disallowedTools", "disallowed-tools", "paths"),
        *("maxTurns", "hide-from-slash-command-tool", "keywords", "globs"),
    )
)
_KEY = re.compile(r"([A-Za-z_$-]+)\s*:(\s|$)")
_FENCE = "---"
# A command whose output Claude Code puts into the text before the model reads it: between backticks, over several lines
# too; in a fence, also in the middle of a line; or what an argument brings along. Claude Code wants a blank before most
# of these, of its own kinds of blank; here all of them count.
_RUNS = re.compile(r"!`[^`]*`?|```!.*|!\$.*")
_SHOWN_COMMANDS = 5


def runs(text: str) -> Mapping[str, str]:
    """By where it says so, what of it would run or bring rights along; empty for a plain text."""
    found: dict[str, str] = {}
    inline = _RUNS.findall(text)
    if inline:
        found["!"] = "\n".join(match.strip() for match in inline[:_SHOWN_COMMANDS])
    for line in _head(text.removeprefix("\ufeff").lstrip()):
        key = _KEY.match(line)
        # Indented, blank and commented lines belong to the key above them; so do lists.
        if key is None and (not line.strip() or line[0] in " \t#-"):
            continue
        if key is None:
            found["head"] = line.strip()
        elif key[1] not in _PLAIN:
            found[key[1]] = line.strip()
    return found


def _head(text: str) -> list[str]:
    lines = text.splitlines()
    if not lines or not lines[0].startswith(_FENCE):
        return []
    for number, line in enumerate(lines[1:], 1):
        if line.startswith(_FENCE):
            return _from_the_first_key(lines[1:number])
    return _from_the_first_key(lines[1:])


def _from_the_first_key(head: list[str]) -> list[str]:
    """A head whose first key is indented has all its keys so: then none may be passed over."""
    first = next((line for line in head if line.strip() and not line.lstrip().startswith("#")), "")
    return [line.lstrip() for line in head] if first[:1].isspace() else head
