"""What Claude Code keeps on disk, read and never written.

home         where it is: the configuration directory, and the state file beside or in it
credentials  whether there is anything to sign in with
mcp_servers  the servers that the user configured
settings     what settings files say of the environment
carried      what a directory carries that would run with the user's rights
at_start     what is read when a Claude Code starts, and not again
memory       the CLAUDE.md files of a project, as text
commands     slash commands that are files: the user's, a project's, and those of plugins
frontmatter  the head of a Markdown file
transcripts  the conversations (the port `Sessions`)
growth       how far a conversation is written, and whether anybody has spoken since
subagents    what is kept of its sub-agents (the port `AgentFiles`)
unfinished   what a conversation left open
points       where one can be cut, to fork it or to go back in it
noted        where Claude Code noted that one stands, and what no resume leads to
lines        a transcript's lines as objects: damaged ones passed over, odd ones read
files        bounded reading that never leaves a directory

digest       what a conversation comes to, for lists and search; `blocks`, `glance`, `skimming`,
             `titles`, `words` help it
digesting    …of many files, by a process of its own
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from glasshouse.claude_home.home import ClaudeHome
    from glasshouse.claude_home.subagents import SubAgents
    from glasshouse.claude_home.transcripts import Transcripts

__all__ = ["ClaudeHome", "SubAgents", "Transcripts"]

_STANDS_IN = {"ClaudeHome": "home", "SubAgents": "subagents", "Transcripts": "transcripts"}


def __getattr__(name: str) -> object:
    # The processes that read transcripts start from here, and must not wait for what these import.
    if name in _STANDS_IN:
        return getattr(import_module(f"{__name__}.{_STANDS_IN[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
