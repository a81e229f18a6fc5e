"""Claude Code as an engine, driven through its Agent SDK.

engine       the port: what a task needs is gathered here, and the SDK imported when it is first needed
launch       what one Claude Code is started with, decided without the SDK
catalogue    the tools that may be named
trust        whether what the directory carries may run: looked at before every start, and asked where it is open
slash_commands  those that are built in, and of use here
environment  the variables that it gets
program      which Claude Code is run
failures     what went wrong, in sentences
asking       what calls ask of a person
answering    what is told to Claude Code once it is answered
grants       what a person has allowed: for one call, or for the session
rewind       the way back: points of a conversation, and Claude Code's own checkpoints of files
beginning    how a process begins: with the prompt, or where its session stopped to wait for a person
bounds       what a task may still cost and take, over all its processes
again        what nobody answered in time, asked again before the next prompt
workshop     which process does a task, and whether it is kept for the next   (from here on the SDK is imported)
workplace    what all runs share
drive        a task in one process, from its first word to the process's certain end, or to its being kept
warm         the processes that are kept, and when they are let go
ahead        one that is connected before it is asked
repository   what Claude Code reads of a repository when a session begins
connection   one Claude Code with its files and its ways to a person
process      one Claude Code process
options      a launch as the SDK's options
guard        what of the project would be taken up while a process runs
checkpoint_options  those of one that is only asked for the files it keeps
prompts      where Claude Code turns to a person: its hook and its prompts, for whichever task it does
questions    its questions, brought to the desk, and the answers brought back to the calls
permissions  its permission prompts and plans: what a person decides, spent before it is given
patience     waiting for a person, with the process or without it
elicitation  what its MCP servers ask of a person: their forms as questions, the answers as their content
wire         the line to it: the SDK's own, which takes what the SDK does not know
question_tool  our own tool ask_user_question
agents       sub-agents and background work, as events
activity     what is under way: calls without a result, tasks in the background
costs        what a task costs while it runs, and whether that is within its budget
limits       what keeps the model from answering and passes
attached     a prompt with its attachments, as a message
turn         when a turn is over, and what came of it
translate    the SDK's messages as events
labels       a session's title and tags, written by the SDK
"""

from glasshouse.engines.claude.engine import ClaudeEngine
from glasshouse.engines.claude.labels import ClaudeLabels
from glasshouse.engines.claude.program import bundled_cli
from glasshouse.engines.claude.rewind import ClaudeWaysBack

__all__ = ["ClaudeEngine", "ClaudeLabels", "ClaudeWaysBack", "bundled_cli"]
