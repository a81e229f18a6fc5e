"""A task: what is asked, what state it is in, what came of it."""

import re
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    model_validator,
)
from pydantic_core import PydanticCustomError

from glasshouse.contract.attachment import Attachment
from glasshouse.contract.ids import Uuid
from glasshouse.contract.question import QuestionReport

PROMPT_LIMIT = 10_000

EngineName = Literal["claude"]
PermissionMode = Literal["default", "acceptEdits", "plan", "bypassPermissions"]


class TaskStatus(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    PARKED = "parked"
    INTERRUPTED = "interrupted"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def ended(self) -> bool:
        return self in _ENDS


_ENDS = frozenset({TaskStatus.INTERRUPTED, TaskStatus.COMPLETED, TaskStatus.FAILED, TaskStatus.CANCELLED})


class Failure(StrEnum):
    """Why a task failed: `metadata.error` of its error event."""

    ENGINE_FAILED = "engine_failed"
    TASK_TIMEOUT = "task_timeout"
    BUDGET_EXCEEDED = "budget_exceeded"
    MAX_TURNS_REACHED = "max_turns_reached"
    USAGE_LIMIT = "usage_limit"
    NO_CREDENTIALS = "no_credentials"


class Limit(StrEnum):
    """What keeps a model from answering, and passes."""

    USAGE = "usage_limit"
    OVERLOADED = "overloaded"
    UNREACHABLE = "unreachable"


def _prompt(value: str) -> str:
    if "\0" in value:
        raise PydanticCustomError("invalid_request", "NUL in the prompt")
    value = value.strip()
    if not value:
        raise PydanticCustomError("prompt_empty", "the prompt is empty")
    if len(value) > PROMPT_LIMIT:
        raise PydanticCustomError("prompt_too_long", "the prompt is too long")
    return value


# Fields that came later: a request of before them is still the same request without them.
_LATER = ("questions", "max_budget_usd", "on_limit")

# A model's name goes to a command line: it must not look like an option there.
_MODEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@\[\]-]{0,199}")


def _model(value: str) -> str:
    if not _MODEL.fullmatch(value):
        raise ValueError("not a model's name")
    return value


ModelName = Annotated[StrictStr, AfterValidator(_model)]


def _templates(value: Any) -> Any:
    if not isinstance(value, list | tuple) or not all(isinstance(each, dict) for each in value):
        raise PydanticCustomError("question_invalid", "a list of objects is expected")
    return value


class TaskRequest(BaseModel):
    """The body of `POST /api/task` and `POST /api/task/stream`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    prompt: Annotated[
        StrictStr,
        AfterValidator(_prompt),
        Field(
            description="What to do; 1 to 10,000 characters after trimming.",
            examples=["列出当前目录下的文件"],
        ),
    ]
    working_dir: Annotated[StrictStr, Field(max_length=4096)] | None = Field(
        None, description="An absolute path inside the allowed directories; default: the configured one."
    )
    tools: tuple[StrictStr, ...] | None = Field(
        None,
        description="Only these tools are offered, and they run without asking. `[]` offers none. "
        "Not given: Claude Code's own set.",
    )
    continue_conversation: StrictBool = Field(
        False, description="Go on with the newest session of the working directory."
    )
    resume: Uuid | None = Field(None, description="Go on with this session.")
    permission_mode: PermissionMode = "default"
    engine: EngineName = "claude"
    on_disconnect: Literal["continue", "stop"] = Field(
        "continue", description="What a closed connection means for the task."
    )
    task_id: Uuid | None = Field(
        None, description="The caller's own id: the same id with the same body attaches to the first task."
    )
    model: ModelName | None = None
    max_turns: Annotated[StrictInt, Field(ge=1, le=1000)] | None = None
    max_budget_usd: Annotated[StrictInt | StrictFloat, Field(gt=0, le=1_000_000, allow_inf_nan=False)] | None = Field(
        None,
        description="The task fails with `budget_exceeded` once it has cost so much; what the model is saying at that "
        "moment is still paid.",
    )
    timeout_s: Annotated[StrictInt | StrictFloat, Field(gt=0, le=10_000_000, allow_inf_nan=False)] | None = Field(
        None, description="The task fails with `task_timeout` after so many seconds."
    )
    on_limit: Literal["park", "resume"] | None = Field(
        None,
        description="At a usage limit, or when the model is overloaded or unreachable, the task is `parked` instead of "
        "failed: `park` until a person has it go on, `resume` until it lifts.",
    )
    wait_s: Annotated[StrictInt | StrictFloat, Field(ge=0, le=86_400, allow_inf_nan=False)] | None = Field(
        None,
        description="`POST /api/task` answers 202 with the task's state after so many seconds; 0: at once.",
    )
    attachments: Annotated[tuple[Attachment, ...], Field(max_length=20)] = Field(
        (), description="Files that come with the prompt: the agent can read them, and sees the images among them."
    )
    questions: Annotated[tuple[dict[str, Any], ...], BeforeValidator(_templates)] = Field(
        (), description="Question templates, each with a `question_id`, that the agent may ask by that id alone."
    )
    queue: StrictBool = Field(False, description="Wait for the session's running task instead of 409.")

    @model_validator(mode="after")
    def _one_way_to_continue(self) -> "TaskRequest":
        if self.continue_conversation and self.resume is not None:
            raise PydanticCustomError("resume_conflict", "continue_conversation and resume exclude each other")
        return self

    def identity(self) -> dict[str, Any]:
        """What makes two requests of one `task_id` the same: all but how the caller listens."""
        how_to_listen = {"wait_s", "on_disconnect"}
        absent = {name for name in _LATER if not getattr(self, name)}
        known = self.model_dump(mode="json", exclude=how_to_listen | absent | {"attachments"})
        # By what is in them: the record is no place for megabytes.
        facts = [each.facts.model_dump() for each in self.attachments]
        return known | ({"attachments": facts} if facts else {})


class TaskResult(BaseModel):
    """What came of an ended task; `message` is whole."""

    success: bool
    message: str
    cost_usd: float | None = None
    duration_ms: int | None = None
    num_turns: int | None = None
    files_changed: list[str] = []
    tools_used: list[str] = []
    error: Failure | None = None


class TaskResponse(BaseModel):
    """The answer of `POST /api/task` once the task has ended."""

    success: bool
    message: str
    session_id: Uuid | None
    cost_usd: float | None
    duration_ms: int | None
    files_changed: list[str]
    tools_used: list[str]
    task_id: Uuid
    status: TaskStatus


class Waiting(BaseModel):
    question_ids: list[str]
    since: str


class Parked(BaseModel):
    """Until when, as far as that is known; `resumes`: by itself then. `attempt` counts in vain, from 1."""

    model_config = ConfigDict(frozen=True)

    until: str | None
    reason: Limit
    since: str
    resumes: bool
    attempt: int = 1


class TaskState(BaseModel):
    """A task as every door shows it at this moment."""

    task_id: Uuid
    session_id: Uuid
    status: TaskStatus
    engine: EngineName
    working_dir: str
    created_at: str
    started_at: str | None = None
    ended_at: str | None = None
    offline: bool = False
    stalled: dict[str, str] | None = Field(None, description="`{since}`: a minute without a message, no tool running.")
    waiting: Waiting | None = Field(None, description="The questions that wait for a person, and since when.")
    parked: Parked | None = Field(None, description="What the task waits for without a person, or for one to go on.")
    cost_usd: float | None = Field(None, description="In US dollars, as far as it is known at this moment.")
    result: TaskResult | None = None


class TaskPending(TaskState):
    """A task that goes on after its caller's `wait_s`, with the questions that it waits for."""

    questions: list[QuestionReport] = []
