"""One Claude Code that is connected: its process, the files it was given, and its ways to whoever's task it does."""

from contextlib import ExitStack
from pathlib import Path
from uuid import uuid4

from glasshouse.core.ports import Processes, Run
from glasshouse.engines.claude.elicitation import Elicitations
from glasshouse.engines.claude.failures import LastWords
from glasshouse.engines.claude.guard import Guard
from glasshouse.engines.claude.launch import Launch
from glasshouse.engines.claude.mcp_tools import tools_to_hide
from glasshouse.engines.claude.options import Talk, options_for
from glasshouse.engines.claude.permissions import Permissions
from glasshouse.engines.claude.process import Broken, ClaudeProcess
from glasshouse.engines.claude.prompts import Prompts
from glasshouse.engines.claude.question_tool import question_server
from glasshouse.engines.claude.questions import Questions
from glasshouse.engines.claude.run_files import RunFiles, run_files
from glasshouse.engines.claude.wire import Wire
from glasshouse.engines.claude.workplace import Workplace

_STARTS_TO_HIDE_TOOLS = 3


class Connection:
    def __init__(self, launch: Launch, rules: tuple[str, ...], program: Path, at: Workplace) -> None:
        """`rules` are what a person has allowed for the session, in Claude Code's own words."""
        self.launch = launch
        self.prompts = Prompts()
        self._guard = Guard(launch, at.trust, at.language)
        self.heard = LastWords(launch.environment)
        # Somebody changed its mode or its model: it is no longer what `launch` says.
        self.altered = False
        self.is_reused = False
        # How far it had counted for its session when its last task was over.
        self.cost_usd = 0.0
        self._rules = rules
        self._program = program
        self._at = at
        self._run_id = str(uuid4())
        self._files = ExitStack()
        self._process: ClaudeProcess | None = None

    @property
    def process(self) -> ClaudeProcess:
        assert self._process is not None, "it was never opened"
        return self._process

    @property
    def is_open(self) -> bool:
        return self._process is not None

    async def open(self) -> ClaudeProcess:
        """Raises NotReady, Broken; then, too, it has to be ended."""
        files = self._files.enter_context(run_files(self._at.files, self.launch))
        hidden: frozenset[str] = frozenset()
        for _ in range(_STARTS_TO_HIDE_TOOLS):
            self._process = self._made(files, hidden)
            async with self._at.starts:
                await self._process.start(self._at.start_timeout_s)
            if not self.launch.mcp.weeded:
                return self._process
            too_many = await tools_to_hide(self._process, self.launch.offered or ())
            if too_many <= hidden:
                return self._process
            hidden |= too_many
            await self._process.end(0)
        raise Broken(RuntimeError("an MCP server offers other tools at every start"))

    def lead_to(self, run: Run, questions: Questions, permissions: Permissions) -> None:
        """To whoever's task it does from here on."""
        self.prompts.lead_to(questions, permissions, Elicitations(run, self._at.language))
        self._guard.lead_to(run)

    def lead_nowhere(self) -> None:
        self.prompts.lead_nowhere()
        self._guard.lead_nowhere()

    async def has_strays(self) -> bool:
        """Whether something that it started has left it, and runs on."""
        return bool(await self._at.processes.strays(self._run_id))

    async def end(self, grace_s: float, *, by_signal_s: float = 0.0) -> None:
        """As `ClaudeProcess.end`; its files go with it. Raises ProcessesRemain."""
        with self._files:
            if self._process is not None:
                await self._process.end(grace_s, by_signal_s=by_signal_s)

    def _made(self, files: RunFiles, hidden: frozenset[str]) -> ClaudeProcess:
        processes: Processes = self._at.processes
        options = options_for(
            self.launch,
            files,
            launcher=processes.launcher,
            marker=processes.environment(self._run_id, str(self._program)),
            talk=Talk(
                self.prompts.can_use_tool,
                {"PreToolUse": [*self.prompts.hooks(), *self._guard.before_skills()], **self._guard.on_changes()},
                question_server(self.prompts.result_of_ours),
                self._rules,
            ),
            hear=self.heard.hear,
            hidden=hidden,
        )
        wire = Wire(options, elicit=self.prompts.elicit, withdrawn=self.prompts.withdraw)
        return ClaudeProcess(options, wire, processes=processes, run_id=self._run_id)
