"""A launch as options of the SDK."""

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from claude_agent_sdk import CanUseTool, ClaudeAgentOptions, HookMatcher
from claude_agent_sdk.types import (
    CanUseToolShadowedWarning,
    HookEvent,
    McpSdkServerConfig,
    SettingSource,
    SystemPromptPreset,
)

from glasshouse.engines.claude.bounds import budget_left, turns_left
from glasshouse.engines.claude.catalogue import ASK_USER_QUESTION, OUR_SERVER
from glasshouse.engines.claude.launch import Launch
from glasshouse.engines.claude.run_files import RunFiles

# At the SDK's own default of 1 MiB one large message ends the session.
_MESSAGE_LIMIT = 64 * 1024 * 1024

_TRUSTED: list[SettingSource] = ["user", "project", "local"]
_UNTRUSTED: list[SettingSource] = ["user"]

# That named tools do not ask is what is meant.
warnings.filterwarnings("ignore", category=CanUseToolShadowedWarning)


@dataclass(frozen=True)
class Talk:
    """How one Claude Code reaches a person."""

    can_use_tool: CanUseTool
    hooks: dict[HookEvent, list[HookMatcher]]
    question_server: McpSdkServerConfig
    # Allowed for the session by a person, in Claude Code's own words.
    rules: tuple[str, ...] = ()


def options_for(
    launch: Launch,
    files: RunFiles,
    *,
    launcher: str,
    marker: Mapping[str, str],
    talk: Talk,
    hear: Callable[[str], None],
    hidden: Iterable[str],
) -> ClaudeAgentOptions:
    """`marker` is what the launcher must find in its environment; `hidden` are tools that must not be offered."""
    task, source = launch.task, launch.source
    prompt: SystemPromptPreset = {"type": "preset", "preset": "claude_code"}
    # Without this the newer models think in silence.
    flags: dict[str, str | None] = {"thinking-display": "summarized"}
    # What is said to Claude Code comes back when it is taken in.
    flags["replay-user-messages"] = None
    if launch.may_bypass:
        flags["allow-dangerously-skip-permissions"] = None
    if files.memory is not None:
        flags["append-system-prompt-file"] = str(files.memory)
    if files.mcp_servers is not None:
        # Beside the one of ours, which the SDK names on the command line.
        flags["mcp-config"] = str(files.mcp_servers)
    rules = () if task.permission_mode == "plan" else talk.rules
    return ClaudeAgentOptions(
        cli_path=launcher,
        cwd=task.working_dir,
        env={**launch.environment, **marker},
        resume=source.session_id,
        session_id=None if source.session_id == task.session_id else task.session_id,
        fork_session=source.session_id not in (None, task.session_id),
        resume_session_at=source.at,
        system_prompt=prompt,
        setting_sources=_TRUSTED if launch.project.trusted else _UNTRUSTED,
        settings=str(files.settings),
        tools=None if launch.offered is None else list(dict.fromkeys((*launch.offered, ASK_USER_QUESTION))),
        allowed_tools=[*launch.allowed, *rules, *_reading(launch)],
        disallowed_tools=list(hidden),
        mcp_servers={OUR_SERVER: talk.question_server},
        strict_mcp_config=launch.mcp.configured is not None,
        permission_mode=task.permission_mode,
        can_use_tool=talk.can_use_tool,
        hooks=talk.hooks,
        model=task.model,
        max_turns=turns_left(task),
        max_budget_usd=budget_left(task),
        include_partial_messages=task.deltas,
        forward_subagent_text=True,
        enable_file_checkpointing=True,
        max_buffer_size=_MESSAGE_LIMIT,
        stderr=hear,
        extra_args=flags,
    )


def _reading(launch: Launch) -> list[str]:
    """In plan mode too: nothing is changed by it."""
    if launch.offered is not None and "Read" not in launch.offered:
        return []
    return [f"Read(/{each}/**)" for each in launch.readable]
