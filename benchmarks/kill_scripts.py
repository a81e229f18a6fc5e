"""What the model does while servers are killed: it asks, wants permission, presents a plan, writes into a ledger."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from glasshouse.testing.offline_model import Call, Conversation, Reply, Say

OPTIONS = [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}]


@dataclass(frozen=True)
class Kind:
    """`replies` by the task's name; `fields` are the request's; `carries` is in its directory."""

    replies: Callable[["Ledger", str], tuple[Reply, ...]]
    fields: Mapping[str, Any]
    carries: str | None = None


class Ledger:
    """A file outside of the server: each call that runs adds its word, and says it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def call(self, word: str) -> Call:
        return Call("Bash", {"command": f"echo {word} | tee -a {self.path}", "description": "note"}, f"toolu_{word}")

    @property
    def words(self) -> list[str]:
        return self.path.read_text().split() if self.path.exists() else []


def _asks(name: str, *texts: str) -> Call:
    questions = [{"question": f"{text}?", "header": "H", "multiSelect": False, "options": OPTIONS} for text in texts]
    return Call("AskUserQuestion", {"questions": questions}, f"toolu_{name}")


_BASH = {"tools": ["Bash"]}
KINDS: Mapping[str, Kind] = {
    "question": Kind(
        lambda on, at: ((on.call(f"{at}a"), _asks(f"{at}q", f"{at}q")), (on.call(f"{at}b"),), (Say("Done."),)), _BASH
    ),
    "two calls": Kind(
        lambda on, at: (
            (_asks(f"{at}q", f"{at}q", f"{at}r"),),
            (on.call(f"{at}a"),),
            (_asks(f"{at}s", f"{at}s"),),
            (on.call(f"{at}b"),),
            (Say("Done."),),
        ),
        _BASH,
    ),
    "permission": Kind(lambda on, at: ((on.call(f"{at}p"),), (on.call(f"{at}o"),), (Say("Done."),)), {}),
    "both": Kind(lambda on, at: ((_asks(f"{at}q", f"{at}q"), on.call(f"{at}p")), (Say("Done."),)), {}),
    "plan": Kind(
        lambda on, at: (
            (Call("ExitPlanMode", {"plan": f"1. {at}"}, f"toolu_{at}x"),),
            (on.call(f"{at}a"),),
            (Say("Done."),),
        ),
        {"tools": ["Bash", "ExitPlanMode"], "permission_mode": "plan"},
    ),
    "trust": Kind(
        lambda on, at: ((on.call(f"{at}a"),), (_asks(f"{at}q", f"{at}q"),), (Say("Done."),)),
        _BASH,
        json.dumps({"hooks": {"PostToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]}}),
    ),
}


class Plays:
    """A reply a step. What was allowed and has not run it calls once more, as it is told to; nothing else twice."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        # All that it was told, for those who answered.
        self.heard: set[str] = set()

    def reply(self, conversation: Conversation) -> Reply | None:
        kind, _, name = conversation.prompt.partition(": ")
        if kind not in KINDS:
            return None
        told = [result.text for result in conversation.results] + [conversation.late_answers]
        self.heard.update(word.strip('".,') for text in told for line in text.splitlines() for word in _words(line))
        replies = KINDS[kind].replies(self._ledger, name)
        again = [call for call in _calls(replies) if self._is_to_be_called_again(call, conversation)]
        if again:
            return (Call(again[0].tool, again[0].input, f"{again[0].id}{conversation.replies}"),)
        return replies[conversation.replies] if conversation.replies < len(replies) else (Say("Done."),)

    def _is_to_be_called_again(self, call: Call, conversation: Conversation) -> bool:
        if call.tool != "Bash" or str(call.input["command"]) not in conversation.late_answers:
            return False
        word = str(call.input["command"]).split()[1]
        return not any(word in result.text.split() for result in conversation.results)


def _words(line: str) -> list[str]:
    return line.replace("=", " ").split()


def _calls(replies: tuple[Reply, ...]) -> list[Call]:
    return [part for reply in replies for part in reply if isinstance(part, Call)]
