"""What a person typed, apart from what was put around it: the text of a title, and of a search."""

import re

LENGTH = 50
# Editors and the CLI put these into messages; the names of HTML have neither hyphens nor underscores.
_INJECTED = re.compile(r"<([a-z]+(?:[-_][a-z]+)+)(?:\s[^<>]*)?>.*?</\1>", re.DOTALL)
_INJECTED_TO_THE_END = re.compile(r"^\s*<[a-z]+(?:[-_][a-z]+)+>.*", re.DOTALL)
_COMMAND = re.compile(r"<command-name>\s*(/?[^<\s]{1,100})\s*</command-name>")
_ARGUMENTS = re.compile(r"<command-args>([^<]{0,200})</command-args>")


def without_injected(text: str) -> str:
    if "<" not in text:
        return text.strip()
    return _INJECTED_TO_THE_END.sub("", _INJECTED.sub("", text)).strip()


def title_in(text: str) -> str:
    return text.strip()[:LENGTH].rstrip()


def command_in(text: str) -> str:
    """A slash command as it was typed; empty where there is none."""
    found = _COMMAND.search(text)
    if found is None:
        return ""
    arguments = _ARGUMENTS.search(text)
    return title_in(f"{found[1]} {arguments[1].strip() if arguments else ''}")
