"""A Bash call whose children want to stay: in another session, without their environment or parent, deaf to SIGTERM."""

from pathlib import Path

from tests.acceptance.support.processes import until, working_in

_CHILDREN = (
    "echo ran >> ledger",
    "setsid sleep 98765 &",
    "(env -i setsid sleep 98765 &)",
    "(setsid sh -c 'trap \"\" TERM INT HUP; while :; do sleep 98765; done' &)",
    "setsid sh -c 'sleep 3; touch canary' &",
    "(env -i setsid sh -c 'sleep 3; touch canary' &)",
    "trap '' TERM",
    "echo begun > begun",
    "while :; do sleep 98765; done",
)
STUBBORN = f"$ {' '.join(part if part.endswith('&') else part + ';' for part in _CHILDREN)}"


async def begun(directory: Path) -> None:
    """All the children are there: without it nothing is shown by their absence later."""
    await until((directory / "begun").exists)
    await until(lambda: sum("sleep 98765" in command for command in working_in(directory).values()) >= 5)
