"""A model that does what the prompt says, one line a reply; what has no such line it echoes."""

import re
from collections.abc import Iterable

from glasshouse.testing.offline_model import Call, Conversation, Fail, Pause, Reply, Say, Think

HEARD = "heard: "
DONE = "done"
_STEP = re.compile(r"\$ |think |say |fail |slowly |agents |later ")


class Obedient:
    """`$ command` runs it, `think …` and `say …` do so, `fail 400` is an API error, `slowly 3` takes so many seconds,
    `later command` runs it in the background, `agents …; …` sends out sub-agents with these prompts and awaits them.

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
        case "fail":
            return (Fail(int(rest), "invalid_request_error", "as told"),)
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


def steps(*lines: str) -> str:
    return "\n".join(lines)


def runs(commands: Iterable[str]) -> str:
    return steps(*(f"$ {command}" for command in commands))
