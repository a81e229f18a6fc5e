"""Claude Code as an engine, driven through its Agent SDK.

engine       the port: what a task needs is gathered here, and the SDK imported when it is first needed
launch       what one Claude Code is started with, decided without the SDK
catalogue    the tools that may be named
environment  the variables that it gets
program      which Claude Code is run
failures     what went wrong, in sentences
drive        a task, from its start to the certain end of all processes   (from here on the SDK is imported)
process      one Claude Code process
options      a launch as the SDK's options
permissions  the answer to permission prompts
turn         when a turn is over, and what came of it
translate    the SDK's messages as events
"""

from glasshouse.engines.claude.engine import ClaudeEngine
from glasshouse.engines.claude.program import bundled_cli

__all__ = ["ClaudeEngine", "bundled_cli"]
