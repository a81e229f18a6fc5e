"""Whether what a directory carries may run: looked at before every start of a Claude Code, and asked where it is open.

A warm process may be used on as long as the standing of its directory is equal to the one it was started with.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from glasshouse.claude_home import ClaudeHome
from glasshouse.claude_home.carried import Carried, carried_by
from glasshouse.contract.phrase import Language
from glasshouse.core.ports import Call, QuestionRecord, Run, TrustDecision, TrustMemory
from glasshouse.core.questions.trust import decision_of, trust_asking
from glasshouse.core.settings import Trust

STARTED = "started"


@dataclass(frozen=True, slots=True)
class Standing:
    """`digest` is of what the directory carries; `guarded`: a change of that must not take effect unasked."""

    trusted: bool
    digest: str = ""
    guarded: bool = False


class Undecided(Exception):
    """Nobody has decided about what the directory carries."""

    def __init__(self, carried: Carried) -> None:
        super().__init__(f"{carried.working_dir} carries things that would run, and nobody has decided about them")
        self.carried = carried


class ProjectTrust:
    def __init__(
        self, *, policy: Trust, memory: TrustMemory, home: ClaudeHome, user_home: Path, language: Language
    ) -> None:
        self._policy = policy
        self._memory = memory
        self._home = home
        self._user_home = user_home
        self._language: Language = language

    async def standing(self, working_dir: str) -> Standing:
        """As of this moment, without asking anybody. Raises Undecided."""
        if self._policy != "ask":
            return Standing(trusted=self._policy == "always")
        carried = await asyncio.to_thread(carried_by, Path(working_dir), self._home, self._user_home)
        if not carried.items:
            return Standing(trusted=True, guarded=True)
        decided = await self._memory.trust(str(carried.working_dir), carried.digest)
        if decided is None:
            raise Undecided(carried)
        return _standing(decided.decision, carried)

    async def asked(self, run: Run) -> Standing | Call:
        """The standing, with a person's answer if it takes one; or the call that waits for it, or was declined."""
        try:
            return await self.standing(run.task.working_dir)
        except Undecided as undecided:
            carried = undecided.carried
        directory = str(carried.working_dir)
        asking = trust_asking(run.task.task_id, directory, carried.digest, carried.shown(), self._language)
        call = await run.ask(asking)
        if not call.is_settled:
            return call
        # The task works again, where it was answered at once.
        call = await run.settled(call.call_id)
        decision = decision_of(call.records)
        return call if decision is None else _standing(decision, carried)

    async def holds(self, working_dir: str, standing: Standing) -> bool:
        """Whether a process that was started with this standing may take up what its directory carries now."""
        try:
            return await self.standing(working_dir) == standing or not standing.guarded
        except Undecided:
            return False


async def tell_started(run: Run, answered: Sequence[QuestionRecord]) -> None:
    """What was `answered` about the task's directory has had its effect."""
    for record in answered:
        if record.task_id == run.task.task_id and record.way is None:
            await run.told(record.call_id, STARTED)


def _standing(decision: TrustDecision, carried: Carried) -> Standing:
    trusted = decision is TrustDecision.TRUST
    return Standing(trusted=trusted, digest=carried.digest, guarded=trusted)
