"""The closed union of all events, told apart by `type`."""

from typing import Annotated

from pydantic import Field, TypeAdapter

from glasshouse.contract.events.agents import AgentProgress
from glasshouse.contract.events.asking import AskUserQuestion
from glasshouse.contract.events.info import Info
from glasshouse.contract.events.outcome import Complete, Error
from glasshouse.contract.events.speech import Text, TextDelta, Thinking, ThinkingDelta, ToolInputDelta
from glasshouse.contract.events.tools import ToolResult, ToolUse

DurableEvent = Text | Thinking | ToolUse | ToolResult | Error | Complete | Info | AskUserQuestion
LiveEvent = TextDelta | ThinkingDelta | ToolInputDelta | AgentProgress
AnyEvent = Annotated[DurableEvent | LiveEvent, Field(discriminator="type")]

any_event: TypeAdapter[DurableEvent | LiveEvent] = TypeAdapter(AnyEvent)
