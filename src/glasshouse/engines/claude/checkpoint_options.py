"""A Claude Code that is only asked for the files it keeps: it loads nothing, offers nothing, and is told no prompt."""

from collections.abc import Callable, Mapping

from claude_agent_sdk import ClaudeAgentOptions

from glasshouse.core.ports import KnownSession


def checkpoint_options(
    session: KnownSession, *, launcher: str, variables: Mapping[str, str], hear: Callable[[str], None]
) -> ClaudeAgentOptions:
    return ClaudeAgentOptions(
        cli_path=launcher,
        cwd=session.working_dir,
        env=dict(variables),
        resume=session.session_id,
        setting_sources=[],
        tools=[],
        strict_mcp_config=True,
        enable_file_checkpointing=True,
        stderr=hear,
    )
