"""A task, done by one Claude Code process: started, asked, listened to until its turn is over, and ended."""

import asyncio
from collections.abc import Coroutine
from contextlib import aclosing
from pathlib import Path
from typing import Any
from uuid import uuid4

from claude_agent_sdk import Message

from glasshouse.contract.events import LiveEvent
from glasshouse.contract.phrase import Language
from glasshouse.contract.task import TaskStatus
from glasshouse.core import messages
from glasshouse.core.ports import Outcome, Processes, Run
from glasshouse.engines.claude.failures import (
    DIED,
    EXIT_CODE,
    NO_RESULT,
    NOT_STARTED,
    TOO_SLOW,
    LastWords,
    engine_failed,
)
from glasshouse.engines.claude.launch import Launch
from glasshouse.engines.claude.mcp_tools import tools_to_hide
from glasshouse.engines.claude.options import options_for
from glasshouse.engines.claude.outcome import outcome_of, with_figures
from glasshouse.engines.claude.permissions import DeniedPrompts
from glasshouse.engines.claude.process import Broken, ClaudeProcess, NotReady
from glasshouse.engines.claude.run_files import RunFiles, run_files
from glasshouse.engines.claude.translate import Translator
from glasshouse.engines.claude.turn import Turn

# How long an interrupted turn may take to give its result; it takes some milliseconds.
_INTERRUPT_S = 1.0
# How long a Claude Code that has done its work may take to leave; it takes some milliseconds, but for hooks of the
# user's. With commands in the background, which are ended anyway, it would wait for those.
_LEAVE_S = 2.0
_LEAVE_COMMANDS_S = 0.2
_STARTS_TO_HIDE_TOOLS = 3


class Workplace:
    """What all runs share."""

    def __init__(
        self, *, processes: Processes, files: Path, language: Language, concurrent_starts: int, start_timeout_s: float
    ) -> None:
        self.processes = processes
        self.files = files
        self.language: Language = language
        self.starts = asyncio.Semaphore(concurrent_starts)
        self.start_timeout_s = start_timeout_s


class Drive:
    def __init__(self, run: Run, launch: Launch, program: Path, workplace: Workplace) -> None:
        self._run = run
        self._launch = launch
        self._program = program
        self._at = workplace
        self._run_id = str(uuid4())
        self._heard = LastWords(launch.environment)
        self._process: ClaudeProcess | None = None
        self._asked = False
        self._turn = Turn()
        self._translator = Translator(
            stamp=run.stamp,
            language=workplace.language,
            working_dir=launch.task.working_dir,
            named_tools=launch.task.tools or (),
            offline=launch.task.offline,
        )

    async def to_its_end(self) -> Outcome:
        """When this returns or raises, nothing of the run is left, but for ProcessesRemain."""
        with run_files(self._at.files, self._launch) as files:
            work = asyncio.create_task(self._work(files))
            stop = asyncio.create_task(_wait(self._run))
            try:
                await asyncio.wait({work, stop}, return_when=asyncio.FIRST_COMPLETED)
                if work.done():
                    return work.result()
                await self._interrupt(work)
                return self._stopped()
            finally:
                await _even_if_cancelled(self._end(work, stop))

    # --- the work

    async def _work(self, files: RunFiles) -> Outcome:
        language = self._at.language
        sentence = NOT_STARTED
        problem: Broken | None = None
        try:
            process = await self._started(files)
            sentence = DIED
            self._asked = True
            await process.ask(self._launch.task.prompt, self._turn.prompt_uuid)
            await self._listen(process)
        except NotReady:
            said = f": {self._heard}" if str(self._heard) else ""
            return engine_failed(language, TOO_SLOW, seconds=self._at.start_timeout_s, said=said)
        except Broken as broken:
            problem = broken
        # After an error Claude Code reports a result, and then may end as if it had broken.
        outcome = outcome_of(self._turn, self._launch.task, language)
        return outcome or engine_failed(language, sentence, reason=self._reason(problem))

    async def _started(self, files: RunFiles) -> ClaudeProcess:
        """Raises NotReady, Broken."""
        hidden: frozenset[str] = frozenset()
        for _ in range(_STARTS_TO_HIDE_TOOLS):
            self._process = ClaudeProcess(
                options_for(
                    self._launch,
                    files,
                    launcher=self._at.processes.launcher,
                    marker=self._at.processes.environment(self._run_id, str(self._program)),
                    can_use_tool=DeniedPrompts(self._launch.task.permission_mode, self._at.language),
                    hear=self._heard.hear,
                    hidden=hidden,
                ),
                processes=self._at.processes,
                run_id=self._run_id,
            )
            async with self._at.starts:
                await self._process.start(self._at.start_timeout_s)
            if not self._launch.mcp.weeded:
                return self._process
            too_many = await tools_to_hide(self._process, self._launch.offered or ())
            if too_many <= hidden:
                return self._process
            hidden |= too_many
            await self._process.end(0)
        raise Broken(RuntimeError("an MCP server offers other tools at every start"))

    async def _listen(self, process: ClaudeProcess) -> None:
        """Until the turn is over, or there is nothing more to be heard. Raises Broken."""
        clock = asyncio.get_running_loop().time
        try:
            async with asyncio.timeout(None) as patience, aclosing(process.messages()) as heard:
                async for message in heard:
                    # Only silence counts, not the time that our own log takes.
                    patience.reschedule(None)
                    self._run.alive()
                    self._turn.see(message)
                    await self._tell(message)
                    if self._turn.over or self._turn.hopeless:
                        return
                    seconds = self._turn.patience_s
                    patience.reschedule(None if seconds is None else clock() + seconds)
        except TimeoutError:
            if not patience.expired():
                raise

    async def _tell(self, message: Message) -> None:
        for event in self._translator.events(message):
            if isinstance(event, LiveEvent):
                self._run.show(event)
            else:
                await self._run.emit(event)

    def _reason(self, problem: Broken | None) -> str:
        language = self._at.language
        if str(self._heard):
            return str(self._heard)
        if problem is None:
            return NO_RESULT.say(language)
        if problem.exit_code is not None:
            return EXIT_CODE.say(language, code=problem.exit_code)
        return str(problem)

    # --- its end

    async def _interrupt(self, work: asyncio.Task[Outcome]) -> None:
        """Have the turn ended by its own means, if it has begun: its transcript is whole then."""
        if self._process is None or not self._asked:
            return
        self._turn.stop()
        interrupting = asyncio.create_task(self._process.interrupt())
        await asyncio.wait({work}, timeout=_INTERRUPT_S)
        interrupting.cancel()
        await asyncio.gather(interrupting, return_exceptions=True)

    def _stopped(self) -> Outcome:
        outcome = Outcome(messages.ENDED[TaskStatus.CANCELLED].say(self._at.language), stopped=True)
        return with_figures(outcome, self._turn, self._launch.task)

    async def _end(self, work: asyncio.Task[Outcome], stop: asyncio.Task[None]) -> None:
        grace_s = 0.0
        if self._turn.result is not None and not self._run.stop.is_set():
            grace_s = _LEAVE_COMMANDS_S if self._turn.commands_run_on else _LEAVE_S
        for task in (work, stop):
            task.cancel()
        await asyncio.gather(work, stop, return_exceptions=True)
        if self._process is not None:
            await self._process.end(grace_s)


async def _wait(run: Run) -> None:
    await run.stop.wait()


async def _even_if_cancelled(ending: Coroutine[Any, Any, None]) -> None:
    """What must not be left half done, and takes a bounded time."""
    task = asyncio.create_task(ending)
    cancelled = False
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            cancelled = True
    task.result()
    if cancelled:
        raise asyncio.CancelledError
