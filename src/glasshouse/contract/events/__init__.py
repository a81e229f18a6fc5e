"""The events of a task, one family a file, each declared durable or live; the union stands alone."""

from glasshouse.contract.events.agents import AgentProgress
from glasshouse.contract.events.asking import AskUserQuestion
from glasshouse.contract.events.base import Event, Stamp
from glasshouse.contract.events.info import Info
from glasshouse.contract.events.outcome import Complete, CompleteMetadata, Error, ErrorMetadata
from glasshouse.contract.events.speech import Text, TextDelta, Thinking, ThinkingDelta, ToolInputDelta
from glasshouse.contract.events.tools import ToolResult, ToolUse
from glasshouse.contract.events.union import AnyEvent, DurableEvent, LiveEvent, any_event

__all__ = [
    "AgentProgress",
    "AnyEvent",
    "AskUserQuestion",
    "Complete",
    "CompleteMetadata",
    "DurableEvent",
    "Error",
    "ErrorMetadata",
    "Event",
    "Info",
    "LiveEvent",
    "Stamp",
    "Text",
    "TextDelta",
    "Thinking",
    "ThinkingDelta",
    "ToolInputDelta",
    "ToolResult",
    "ToolUse",
    "any_event",
]
