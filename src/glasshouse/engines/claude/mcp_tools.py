"""Which tools of MCP servers must be hidden, so that only those are offered that a request named.

What a server offers is known only once it runs; and a tool is hidden only at a start. So a Claude Code that offers
too much is started again.
"""

import asyncio
from collections.abc import Sequence

from claude_agent_sdk.types import McpServerStatus

from glasshouse.engines.claude.catalogue import OUR_SERVER, mcp_prefix, names_tool_of
from glasshouse.engines.claude.process import ClaudeProcess

_SERVERS_START_S = 10.0
_LOOK_AGAIN_S = 0.05


async def tools_to_hide(process: ClaudeProcess, named: Sequence[str]) -> frozenset[str]:
    """Tools, and whole servers that have none that was named. Raises Broken."""
    loop = asyncio.get_running_loop()
    until = loop.time() + _SERVERS_START_S
    while True:
        servers = [server for server in await process.mcp_servers() if server["name"] != OUR_SERVER]
        starting = [s for s in servers if s["status"] == "pending" and names_tool_of(s["name"], named)]
        if not starting or loop.time() > until:
            break
        # There is nothing to wait for: the CLI tells only when asked.
        await asyncio.sleep(_LOOK_AGAIN_S)
    return frozenset(name for server in servers for name in _hidden_of(server, named))


def _hidden_of(server: McpServerStatus, named: Sequence[str]) -> Sequence[str]:
    prefix = mcp_prefix(server["name"])
    if not names_tool_of(server["name"], named) or server["status"] == "pending":
        return [prefix]
    names = [f"{prefix}__{tool['name']}" for tool in server.get("tools", [])]
    return [name for name in names if name not in named]
