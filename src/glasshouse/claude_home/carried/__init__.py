"""What a directory carries that would run with the user's rights, as Claude Code itself would find it.

scan      all of it, and a digest that changes when any of it does
item      one such thing, in words that can be shown
places    where Claude Code looks, seen from a working directory
settings  what settings files and MCP configurations start
texts     commands, skills and agents: which are plain text, and which run something
named     the project's own programs that a command line names
below     skills and commands in folders further down, which are found while work goes on there
"""

from glasshouse.claude_home.carried.scan import Carried, carried_by

__all__ = ["Carried", "carried_by"]
