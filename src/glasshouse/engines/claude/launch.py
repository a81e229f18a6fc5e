"""What one Claude Code is started with: decided here, from the task, its home and whether its directory is trusted."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from glasshouse.claude_home import ClaudeHome
from glasshouse.claude_home.at_start import mark_at_start
from glasshouse.claude_home.costs import total_cost
from glasshouse.claude_home.mcp_servers import user_mcp_servers
from glasshouse.claude_home.memory import project_memory
from glasshouse.claude_home.settings import settings_of, settings_of_project, variables_in
from glasshouse.claude_home.unfinished import Unfinished, unfinished
from glasshouse.core.ports import EngineTask, Figures, ModelEndpoint
from glasshouse.core.rewindings import rewindings
from glasshouse.engines.claude import catalogue, environment
from glasshouse.engines.claude.trust import Standing

# Else plan mode lets a model judge whether a command may run.
_SETTINGS = {"useAutoModeDuringPlan": False}
# Else a named tool is offered by a placeholder, and found only by searching.
_ALL_AT_ONCE = {"ENABLE_TOOL_SEARCH": "false"}


@dataclass(frozen=True)
class McpServers:
    """`configured` None: those that Claude Code finds by itself. `weeded`: of what they offer, only the tools that
    were named may be left."""

    configured: Mapping[str, Any] | None
    weeded: bool = False


@dataclass(frozen=True)
class Source:
    """The conversation that is gone on with, None: a new one; up to and with the entry `at`, None: its end."""

    session_id: str | None = None
    at: str | None = None


@dataclass(frozen=True)
class Launch:
    """`settings` are stronger than those of any file but the organisation's."""

    task: EngineTask
    home: ClaudeHome
    # What the session's conversation left open.
    unfinished: Unfinished
    # What its directory carries that would run, whether it may, and whether that is kept to while it runs.
    project: Standing
    source: Source
    # How often the session was rewound in place.
    rewound: int
    # None: Claude Code's own set.
    offered: tuple[str, ...] | None
    mcp: McpServers
    # The project's instructions, where Claude Code is not to read them itself.
    memory: str
    settings: Mapping[str, Any]
    environment: Mapping[str, str]
    # A person may change the mode to one that asks for nothing, while the process runs.
    may_bypass: bool = False
    # What Claude Code reads by itself when it starts, as it stands.
    read: str = ""
    # Outside the project, and to be read without asking.
    readable: tuple[str, ...] = ()
    # What Claude Code has counted for the session so far, in US dollars; it counts on from there.
    cost_before: float = 0.0

    @property
    def of_process(self) -> "Launch":
        """Without what belongs to the task alone: a process that was started with the same can do this one, too."""
        task = replace(
            self.task,
            task_id="",
            session_id="",
            prompt="",
            engine_state={},
            templates={},
            prompted=False,
            continued=False,
            attachments=(),
            readable=(),
            forked_from=None,
            figures=Figures(),
            mode_changed_at=None,
        )
        return replace(self, task=task, unfinished=Unfinished(), source=Source(), cost_before=0.0)

    @property
    def begins(self) -> bool:
        """The conversation is a new one."""
        return self.source.session_id is None

    @property
    def is_one_off(self) -> bool:
        """A process with this bound is not for a second task."""
        return self.task.max_turns is not None or self.task.max_budget_usd is not None

    @property
    def allowed(self) -> tuple[str, ...]:
        """The tools that run without asking: named by the caller, and never what plan mode is to keep from running
        or what is a question itself."""
        if self.task.permission_mode == "plan":
            return ()
        questions = (catalogue.EXIT_PLAN_MODE, catalogue.ASK_USER_QUESTION, catalogue.OUR_QUESTION)
        return tuple(name for name in self.task.tools or () if name not in questions)


def launch_for(
    task: EngineTask,
    *,
    home: ClaudeHome,
    project: Standing,
    demo: ModelEndpoint | None,
    server_environment: Mapping[str, str],
    left: Unfinished | None = None,
    may_bypass: bool = False,
) -> Launch:
    """Reads what is on the disk at this moment: the task before may have changed it. `left` is what the conversation
    left open, where that is known. Blocking.

    Whoever may start a process with it holds `project` against what the directory carries then."""
    directory = Path(task.working_dir)
    offered = task.tools if task.tools is not None else task.tools_bound
    by_settings = {} if offered is None else _ALL_AT_ONCE
    if demo is None:
        variables = environment.for_every_run(server_environment)
    else:
        files = (*settings_of(home), *settings_of_project(directory))
        foreign = {name for file in files for name in variables_in(file)}
        variables = environment.for_the_demo_model(demo, server_environment, foreign)
        by_settings = {**variables, **by_settings}
    # A process that is kept goes on counting by itself.
    counts_itself = left is not None
    left, source = _begun(home, task, left)
    return Launch(
        task=task,
        home=home,
        unfinished=left,
        source=source,
        rewound=len(rewindings(task.engine_state)),
        project=project,
        offered=offered,
        mcp=_mcp_servers(home, directory, project.trusted, offered),
        memory="" if project.trusted else project_memory(directory),
        settings={**_SETTINGS, "env": by_settings},
        environment={**variables, **by_settings, **home.environment},
        read=mark_at_start(home, directory),
        readable=tuple(each for each in task.readable if Path(each).is_dir()),
        # A fork counts on from the session that it comes from.
        cost_before=0.0 if counts_itself else total_cost(home, source.session_id or task.session_id) or 0.0,
        may_bypass=may_bypass,
    )


def _begun(home: ClaudeHome, task: EngineTask, left: Unfinished | None) -> tuple[Unfinished, Source]:
    """A fork and a rewinding are done by Claude Code itself, with the first task after them."""
    rewound = rewindings(task.engine_state)
    if left is None:
        left = unfinished(home, task.session_id, [each.dropped for each in rewound])
    if not left.exists:
        point = task.forked_from
        if point is None or point.message_id is None:
            return left, Source()
        return left, Source(point.session_id, point.message_id)
    if left.went_on:
        return left, Source(task.session_id)
    # At an earlier point it presents no call that it had kept.
    return replace(left, deferred=None), Source(task.session_id, rewound[-1].at)


def _mcp_servers(home: ClaudeHome, directory: Path, trusted: bool, offered: tuple[str, ...] | None) -> McpServers:
    named = None if offered is None else [name for name in offered if catalogue.is_mcp(name)]
    if named == []:
        return McpServers({})
    weeded = named is not None
    if trusted:
        return McpServers(None, weeded)
    servers = user_mcp_servers(home, directory)
    if named is not None:
        servers = {name: server for name, server in servers.items() if catalogue.names_tool_of(name, named)}
    return McpServers(servers, weeded)
