"""What Glasshouse starts Claude Code with, for a Claude Code that is started by the SDK alone."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions, HookMatcher, PermissionResultDeny, ToolPermissionContext
from claude_agent_sdk.types import HookContext, HookInput, HookJSONOutput

from glasshouse.claude_home import ClaudeHome
from glasshouse.contract.ids import new_id
from glasshouse.core.ports import EngineTask
from glasshouse.engines.claude.asking import QUESTION_TOOLS
from glasshouse.engines.claude.launch import launch_for
from glasshouse.engines.claude.options import Talk, options_for
from glasshouse.engines.claude.question_tool import question_server
from glasshouse.engines.claude.run_files import run_files
from glasshouse.engines.claude.trust import Standing


@contextmanager
def options(working_dir: Path, tools: tuple[str, ...] | None = None) -> Iterator[ClaudeAgentOptions]:
    """Of a new session; the same in all but who starts the process."""
    task = EngineTask(
        task_id=new_id(),
        session_id=new_id(),
        prompt="",
        working_dir=str(working_dir),
        tools=tools,
        tools_bound=None,
        permission_mode="default",
        model=None,
        max_turns=None,
        deltas=False,
        offline=False,
        engine_state={},
    )
    home = ClaudeHome.of(os.environ, Path.home())
    launch = launch_for(task, home=home, project=Standing(trusted=True), demo=None, server_environment=os.environ)
    with run_files(Path.home() / "runs", launch) as files:
        ours = options_for(
            launch,
            files,
            launcher="",
            marker={},
            talk=_nobody_to_talk_to(),
            hear=lambda line: None,
            hidden=(),
        )
        yield replace(ours, cli_path=None)


def _nobody_to_talk_to() -> Talk:
    """The same ways to a person, and nobody at their end: no task of a benchmark asks."""

    async def deny(tool: str, tool_input: dict[str, Any], context: ToolPermissionContext) -> PermissionResultDeny:
        return PermissionResultDeny(message="nobody is here")

    async def pass_over(given: HookInput, call_id: str | None, context: HookContext) -> HookJSONOutput:
        return {}

    async def no_result(call_id: str) -> str:
        return ""

    before = HookMatcher("|".join(sorted(QUESTION_TOOLS)), [pass_over])
    return Talk(deny, {"PreToolUse": [before]}, question_server(no_result))
