"""How a sub-agent gets on."""

from typing import ClassVar, Literal

from glasshouse.contract.agent import AgentReport
from glasshouse.contract.events.base import Event


class AgentProgress(Event):
    """Between the info of its start and that of its end, which has the whole."""

    durable: ClassVar[bool] = False
    type: Literal["agent_progress"] = "agent_progress"
    agent: AgentReport
