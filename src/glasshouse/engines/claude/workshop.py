"""Which Claude Code does a task: the one that is kept for its session, or a new one; and whether it is kept again."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

from glasshouse.claude_home.unfinished import Unfinished
from glasshouse.core.ports import EngineTask, Outcome, Run
from glasshouse.engines.claude.again import waits_first
from glasshouse.engines.claude.ahead import Ahead
from glasshouse.engines.claude.beginning import Beginning, beginning_of
from glasshouse.engines.claude.connection import Connection
from glasshouse.engines.claude.drive import Drive, NotPresented, NotTaken
from glasshouse.engines.claude.launch import Launch
from glasshouse.engines.claude.warm import Asked, Warm
from glasshouse.engines.claude.workplace import Workplace

Launching = Callable[[EngineTask, Unfinished | None], Awaitable[Launch]]


class Workshop:
    def __init__(self, at: Workplace, *, most: int, idle_s: float) -> None:
        """So many processes without a task are kept, each for so long."""
        self._at = at
        self.warm = Warm(most=most, idle_s=idle_s)
        self.ahead = Ahead(at, self.warm)

    async def do(self, run: Run, task: EngineTask, launching: Launching, program: Path) -> Outcome:
        """Raises Undecided."""
        outcome, launch = await self._done(run, task, launching, program)
        if launch.begins and outcome.failure is None and not (outcome.stopped or outcome.waiting):
            self.ahead.connect(launch, launching, program)
        return outcome

    def hold_processes_for_questions(self) -> None:
        """From the next task on."""
        self._at.patience = replace(self._at.patience, defer=False)

    async def close(self) -> None:
        await self.ahead.close()
        await self.warm.close()

    async def _done(self, run: Run, task: EngineTask, launching: Launching, program: Path) -> tuple[Outcome, Launch]:
        left = None if task.continued else self.warm.left(task.session_id)
        if left is not None:
            launch = await launching(task, left)
            beginning = await self._beginning(run, launch)
            connection = await self.warm.take(task.session_id, _asked(launch, beginning))
            if connection is not None:
                try:
                    return await self._driven(run, launch, beginning, connection), launch
                except NotTaken:
                    pass
        await self.warm.let_go(task.session_id)
        launch = await launching(task, None)
        try:
            return await self._driven_anew(run, launch, program), launch
        except NotPresented:
            # The answer goes as a message.
            launch = await launching(task, None)
            launch = replace(launch, unfinished=replace(launch.unfinished, deferred=None))
            return await self._driven_anew(run, launch, program), launch

    async def _driven_anew(self, run: Run, launch: Launch, program: Path) -> Outcome:
        """Raises NotPresented."""
        if await waits_first(run, launch.unfinished):
            return Outcome("", waiting=True)
        beginning = await self._beginning(run, launch)
        connection = Connection(launch, tuple(beginning.grants.rules), program, self._at)
        return await self._driven(run, launch, beginning, connection)

    async def _beginning(self, run: Run, launch: Launch) -> Beginning:
        return await beginning_of(run, launch.task, launch.unfinished, self._at.language)

    async def _driven(self, run: Run, launch: Launch, beginning: Beginning, connection: Connection) -> Outcome:
        """Raises NotPresented, NotTaken."""

        async def keep(done: Connection) -> None:
            await self.warm.keep(launch.task.session_id, done, _asked(launch, beginning))

        may_be_kept = self.warm.is_open and not launch.is_one_off
        return await Drive(
            run, launch, beginning, connection, self._at, keep=keep if may_be_kept else None
        ).to_its_end()


def _asked(launch: Launch, beginning: Beginning) -> Asked:
    return Asked(launch.of_process, frozenset(beginning.grants.rules))
