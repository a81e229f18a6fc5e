"""Sub-agents and background work of a session: what events tell of them, and the tree that is made of it."""

from enum import StrEnum

from pydantic import BaseModel, Field


class AgentState(StrEnum):
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    STOPPED = "stopped"
    # Its files do not tell how it ended.
    UNKNOWN = "unknown"


class AgentReport(BaseModel):
    """A sub-agent as it stands: `metadata.agent` of an info, at its start, now and then, and at its end."""

    agent_id: str
    tool_use_id: str | None = Field(
        None, description="The call that started it; its own events name that as `parent_tool_use_id`."
    )
    parent: str | None = Field(None, description="The agent that started it; none: the conversation itself.")
    type: str | None = None
    description: str = ""
    state: AgentState
    background: bool = Field(False, description="Who started it did not wait for it.")
    steps: int = Field(0, description="How many calls of tools it has made.")
    last_tool: str | None = None
    tokens: int | None = Field(None, description="The size that its conversation has reached, in tokens.")
    duration_ms: int | None = None
    summary: str | None = Field(None, description="What it handed back at its end.")


class BackgroundReport(BaseModel):
    """Work in the background that is no agent, a shell command for one: `metadata.background` of an info."""

    background_id: str
    tool_use_id: str | None = None
    agent: str | None = Field(None, description="The agent that started it; none: the conversation itself.")
    kind: str = Field(description="As Claude Code calls it: `local_bash` is a command.")
    description: str = Field("", description="What its call says of it, else the command itself.")
    state: AgentState
    summary: str | None = None


class TokenUsage(BaseModel):
    """Over all calls of the model."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_input_tokens: int = 0
    cache_creation_input_tokens: int = 0


class Agent(AgentReport):
    task_id: str | None = Field(None, description="None: it was not begun here.")
    model: str | None = None
    started_at: str | None = None
    ended_at: str | None = None
    usage: TokenUsage | None = None
    cost_usd: float | None = Field(None, description="None: not known. Never a guess.")
    agents: list["Agent"] = []


class Background(BackgroundReport):
    task_id: str
    started_at: str
    ended_at: str | None = None


class AgentTree(BaseModel):
    """In the order in which they began."""

    session_id: str
    agents: list[Agent]
    background: list[Background]


class StopReply(BaseModel):
    """`state` is how it stands now: one that had ended stays as it is."""

    success: bool = True
    agent_id: str
    state: AgentState
