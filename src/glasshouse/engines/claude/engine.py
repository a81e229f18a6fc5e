"""The engine `claude`: what a task needs is gathered here, before there is any process."""

import asyncio
import importlib
import os
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from glasshouse.claude_home import ClaudeHome
from glasshouse.claude_home.commands import commands_of
from glasshouse.claude_home.credentials import has_credentials
from glasshouse.claude_home.unfinished import Unfinished, unfinished
from glasshouse.contract.command import Command
from glasshouse.contract.ids import new_id
from glasshouse.contract.phrase import Language
from glasshouse.contract.task import EngineName, TaskRequest, TaskStatus
from glasshouse.core import messages
from glasshouse.core.ports import (
    Call,
    EngineTask,
    InstructionRecord,
    ModelEndpoint,
    Outcome,
    Processes,
    Run,
    TaskRecord,
    ToolInfo,
    TrustMemory,
)
from glasshouse.core.settings import Defer, Offline, Trust
from glasshouse.engines.claude import catalogue
from glasshouse.engines.claude.beginning import heard_of, with_approved_mode
from glasshouse.engines.claude.bounds import used_up
from glasshouse.engines.claude.failures import NONE_FOUND, NOT_FOUND, engine_failed, no_credentials
from glasshouse.engines.claude.launch import Launch, launch_for
from glasshouse.engines.claude.program import claude_code
from glasshouse.engines.claude.run_files import remove_left_behind
from glasshouse.engines.claude.slash_commands import built_in
from glasshouse.engines.claude.trust import ProjectTrust, Standing, Undecided

if TYPE_CHECKING:
    from glasshouse.engines.claude.workshop import Workshop

# Half a second to import, for the SDK's sake: not before it is needed.
_WORKSHOP = "glasshouse.engines.claude.workshop"
_START_TIMEOUT_S = 30.0
# How long a permission prompt holds its process before that is let go.
_HOT_S = 600.0
# A person who reads what came of a task, and goes on.
_WARM_IDLE_S = 300.0


class ClaudeEngine:
    """The port `Engine`."""

    name: EngineName = "claude"

    def __init__(
        self,
        *,
        home: ClaudeHome,
        offline_home: ClaudeHome,
        run_files: Path,
        processes: Processes,
        environment: Mapping[str, str],
        language: Language,
        trust: Trust,
        trust_memory: TrustMemory,
        offline: Offline,
        offline_model: Callable[[], Awaitable[ModelEndpoint]],
        defer: Defer = "auto",
        allow_bypass: bool = False,
        hot_s: float = _HOT_S,
        warm: int = 0,
        warm_idle_s: float = _WARM_IDLE_S,
        cli: Path | None = None,
        concurrent_starts: int | None = None,
        start_timeout_s: float = _START_TIMEOUT_S,
    ) -> None:
        """`environment` is the server's own; `run_files` a directory of ours; `warm` processes are kept without a task;
        `cli` is by default the SDK's."""
        self._home = home
        self._offline_home = offline_home
        self._run_files = run_files
        self._processes = processes
        self._environment = environment
        self._language: Language = language
        user_home = Path(environment.get("HOME") or Path.home())
        self._trust = ProjectTrust(policy=trust, memory=trust_memory, home=home, user_home=user_home, language=language)
        self._offline = offline
        self._offline_model = offline_model
        self._keeps_questions = defer != "never"
        # Claude Code does not start so as root, unless it is told that it is in a sandbox.
        self._may_bypass = allow_bypass and (os.geteuid() != 0 or "IS_SANDBOX" in environment)
        self._hot_s = hot_s
        self._warm = warm
        self._warm_idle_s = warm_idle_s
        self._cli = cli
        self._concurrent_starts = concurrent_starts or os.cpu_count() or 1
        self._start_timeout_s = start_timeout_s
        self._made_at = time.time()
        self._workshop: Workshop | None = None

    async def run(self, run: Run) -> Outcome:
        task = run.task
        if (outcome := used_up(task, self._language)) is not None:
            return outcome
        if not task.offline and self._offline == "never" and not await asyncio.to_thread(self._has_credentials):
            return no_credentials(self._language, NONE_FOUND.say(self._language))
        program = self._program()
        if not os.access(program, os.X_OK):
            return engine_failed(self._language, NOT_FOUND, path=program)
        workshop = await self._opened()
        demo = await self._offline_model() if task.offline else None

        async def launching(wanted: EngineTask, left: Unfinished | None) -> Launch:
            project = await self._trust.standing(wanted.working_dir)
            return await asyncio.to_thread(self._launch, wanted, project, demo, left)

        while True:
            try:
                return await workshop.do(run, await with_approved_mode(run, task), launching, program)
            except Undecided:
                asked = await self._trust.asked(run)
            if isinstance(asked, Call):
                # What waits for a person holds no process, and its directory has changed since this one was started.
                await workshop.warm.let_go(task.session_id)
                if asked.is_settled:
                    return Outcome(messages.ENDED[TaskStatus.CANCELLED].say(self._language), stopped=True)
                return Outcome("", waiting=True)

    async def _opened(self) -> "Workshop":
        if self._workshop is None:
            module = await asyncio.to_thread(importlib.import_module, _WORKSHOP)
            # Another task may have been here meanwhile.
            self._workshop = self._workshop or self._furnished(module)
        return self._workshop

    def _furnished(self, module: Any) -> "Workshop":
        at = module.Workplace(
            processes=self._processes,
            files=self._run_files,
            language=self._language,
            concurrent_starts=self._concurrent_starts,
            start_timeout_s=self._start_timeout_s,
            defer=self._keeps_questions,
            hot_s=self._hot_s,
            trust=self._trust,
        )
        workshop: Workshop = module.Workshop(at, most=self._warm, idle_s=self._warm_idle_s)
        return workshop

    def trust_to_keep_questions(self, trusted: bool) -> None:
        """What was found out of this Claude Code; where it is not, its process waits with a question."""
        if not trusted:
            self._keeps_questions = False
            if self._workshop is not None:
                self._workshop.hold_processes_for_questions()

    async def has_heard(self, task: TaskRecord, messages: Sequence[InstructionRecord]) -> Sequence[InstructionRecord]:
        home = self._offline_home if task.offline else self._home
        return heard_of(messages, await asyncio.to_thread(unfinished, home, task.session_id))

    def tools(self) -> Sequence[ToolInfo]:
        return catalogue.listed(self._language)

    def knows_tool(self, name: str) -> bool:
        return catalogue.knows(name)

    def commands(self, working_dir: Path, language: Language) -> Sequence[Command]:
        home = self._offline_home if self.offline() else self._home
        return [*commands_of(home, working_dir), *built_in(language)]

    def offline(self) -> bool:
        if self._offline == "auto":
            return not self._has_credentials()
        return self._offline == "always"

    def new_session(self, request: TaskRequest, working_dir: str, *, deltas: bool, offline: bool) -> str:
        if self._workshop is None:
            return new_id()
        return self._workshop.ahead.session_for(request, working_dir, deltas=deltas, offline=offline) or new_id()

    async def let_go(self, session_id: str) -> None:
        if self._workshop is not None:
            await self._workshop.warm.let_go(session_id)

    async def close(self) -> None:
        if self._workshop is not None:
            await self._workshop.close()

    def prepare(self) -> None:
        remove_left_behind(self._run_files, self._made_at)
        importlib.import_module(_WORKSHOP)
        program = self._program()
        if program.is_file():
            _read_ahead(program)

    def _has_credentials(self) -> bool:
        return has_credentials(self._home, self._environment)

    def _launch(
        self, task: EngineTask, project: Standing, demo: ModelEndpoint | None, left: Unfinished | None
    ) -> Launch:
        home = self._offline_home if task.offline else self._home
        home.config_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        return launch_for(
            task,
            home=home,
            project=project,
            demo=demo,
            server_environment=self._environment,
            left=left,
            may_bypass=self._may_bypass,
        )

    def _program(self) -> Path:
        return self._cli or claude_code()


def _read_ahead(program: Path) -> None:
    """Have the kernel read some hundred megabytes now rather than at the first start."""
    descriptor = os.open(program, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_WILLNEED)
    finally:
        os.close(descriptor)
