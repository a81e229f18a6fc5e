"""The MCP servers that are the user's own: for all directories, and for one directory (which no project can write)."""

from pathlib import Path
from typing import Any

from glasshouse.claude_home.files import objects_in, read_json_object, repository_root
from glasshouse.claude_home.home import ClaudeHome


def user_mcp_servers(home: ClaudeHome, working_dir: Path) -> dict[str, dict[str, Any]]:
    """By name, as Claude Code's `--mcp-config` takes them; what the user disabled here is left away."""
    state = read_json_object(home.state_file)
    servers = objects_in(state.get("mcpServers"))
    projects = objects_in(state.get("projects"))
    for place in (repository_root(working_dir), working_dir):
        project = projects.get(str(place), {})
        servers |= objects_in(project.get("mcpServers"))
        disabled = project.get("disabledMcpServers")
        for name in disabled if isinstance(disabled, list) else ():
            servers.pop(name, None)
    return servers
