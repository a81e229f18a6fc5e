"""Glasshouse runs AI agents that people can see through.

The map, left imports right (held by tests/architecture):

    entrypoints > bootstrap > adapters | engines | testing > claude_home > core > contract

contract      what is said: ids, tasks, events, errors. pydantic only, no I/O
core          what is decided: ports, admission, the life of a task, streams, paths, trust, limits
claude_home   what Claude Code keeps on disk
engines       what runs a task: claude (Claude Code through its Agent SDK)
adapters      what stands behind the ports: the store, the queue, processes, the data directory
testing       what ships for trying and testing: the offline demo model, in-memory twins, conformance suites
bootstrap     the one place that knows every implementation
entrypoints   the doors: http (HTTP, SSE, WebSocket) and cli

Importing any of it does nothing; `bootstrap.build` puts a server together.
"""

__version__ = "0.1.0"
