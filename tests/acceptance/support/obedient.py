"""A model that does what the prompt says, one line a reply; what has no such line it echoes."""

import re
import time
from collections.abc import Iterable

from glasshouse.testing.offline_model import Call, Conversation, Cut, Fail, Pause, Reply, Say, Think

HEARD = "heard: "
DONE = "done"
_STEP = re.compile(r"\$ |think |say |fail |slowly |agents |later |limited until |break off")


class Obedient:
    """`$ command` runs it, `think …` and `say …` do so, `fail 400` is an API error, `slowly 3` takes so many seconds,
    `later command` runs it in the background, `agents …; …` sends out sub-agents with these prompts and awaits them.
    `limited until 1790000000` is a usage limit until that second since the epoch, `break off` is a cut connection.

    After the last line it says the last tool result, or that it is done.
    """

    def reply(self, conversation: Conversation) -> Reply:
        lines = [line for line in conversation.prompt.splitlines() if _STEP.match(line)]
        if not lines:
            return (Say(f"{HEARD}{conversation.prompt}"),)
        if conversation.replies < len(lines):
            return _step(*lines[conversation.replies].split(" ", 1))
        results = conversation.results
        return (Say(results[-1].text or DONE if results else DONE),)


def _step(verb: str, rest: str) -> Reply:  # noqa: PLR0911 - one a verb
    match verb:
        case "$":
            return Say("running it"), Call("Bash", {"command": rest, "description": "As told"})
        case "think":
            return Think(rest), Call("Bash", {"command": "true", "description": "After a thought"})
        case "fail" | "break" | "limited":
            return _trouble(verb, rest)
        case "slowly":
            return Say("slow"), Pause(float(rest)), Say("ly")
        case "agents":
            return Say("sending them"), *(_agent(each.strip()) for each in rest.split(";"))
        case "later":
            return (Call("Bash", {"command": rest, "description": "In the background", "run_in_background": True}),)
        case _:
            return Say(rest), Call("Bash", {"command": "true", "description": "To go on"})


def _agent(prompt: str) -> Call:
    told = {"description": prompt[:40], "prompt": prompt, "subagent_type": "general-purpose"}
    return Call("Agent", {**told, "run_in_background": False})


def _trouble(verb: str, rest: str) -> Reply:
    if verb == "fail":
        return (Fail(int(rest), "invalid_request_error", "as told"),)
    if verb == "break":
        return Say("half of what"), Cut()
    until = int(rest.removeprefix("until "))
    if time.time() >= until:
        return Say("not limited"), Call("Bash", {"command": "true", "description": "To go on"})
    limit = {
        "anthropic-ratelimit-unified-status": "rejected",
        "anthropic-ratelimit-unified-reset": str(until),
        "anthropic-ratelimit-unified-representative-claim": "five_hour",
        # Longer than Claude Code would wait by itself.
        "retry-after": "3600",
    }
    return (Fail(429, "rate_limit_error", "as told", limit),)


def steps(*lines: str) -> str:
    return "\n".join(lines)


def runs(commands: Iterable[str]) -> str:
    return steps(*(f"$ {command}" for command in commands))
