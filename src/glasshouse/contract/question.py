"""A question: anything that waits for a person, from whatever source, in one form."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictStr,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

DEEPEST = 10
MOST_OPTIONS = 100

Id = Annotated[StrictStr, Field(min_length=1, max_length=256)]
Words = Annotated[StrictStr, Field(max_length=10_000)]
Answer = str | bool | list[Any] | dict[str, Any] | None


class QuestionKind(StrEnum):
    QUESTION = "question"
    PERMISSION = "permission"
    PLAN_APPROVAL = "plan_approval"
    TRUST = "trust"
    ELICITATION = "elicitation"
    PLANNER_INPUT = "planner_input"


class QuestionType(StrEnum):
    MULTIPLE_CHOICE = "multiple_choice"
    CHECKBOX = "checkbox"
    TEXT = "text"
    BOOLEAN = "boolean"

    @property
    def is_choice(self) -> bool:
        return self in (QuestionType.MULTIPLE_CHOICE, QuestionType.CHECKBOX)


class QuestionState(StrEnum):
    PENDING = "pending"
    ANSWERED = "answered"
    CANCELLED = "cancelled"
    TIMEOUT = "timeout"


class Door(StrEnum):
    """Through which an answer came."""

    CONSOLE = "console"
    API = "api"
    WEBSOCKET = "websocket"
    CLI = "cli"
    MCP = "mcp"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Option(_Strict):
    id: Id
    label: Annotated[Words, Field(min_length=1)]
    description: Words | None = None
    default: StrictBool = False


class Question(_Strict):
    """As it is asked. Ids are unique in a question and its follow-ups; an option's, among the options."""

    question_id: Id
    question_text: Annotated[Words, Field(min_length=1)]
    type: QuestionType
    header: Annotated[StrictStr, Field(max_length=256)] | None = None
    description: Words | None = None
    options: tuple[Option, ...] = ()
    required: StrictBool = True
    allow_other: StrictBool = False
    follow_up_questions: dict[str, tuple["Question", ...]] = {}

    @model_validator(mode="after")
    def _holds_together(self) -> "Question":
        if self.type.is_choice and not self.options:
            raise _malformed(f"{self.question_id}: a choice needs options")
        if len(self.options) > MOST_OPTIONS:
            raise _malformed(f"{self.question_id}: more than {MOST_OPTIONS} options")
        ids = [option.id for option in self.options]
        if len(set(ids)) != len(ids):
            raise _malformed(f"{self.question_id}: an option id is used twice")
        known = {"true", "false"} if self.type is QuestionType.BOOLEAN else set(ids)
        if foreign := set(self.follow_up_questions) - known:
            raise _malformed(f"{self.question_id}: follow-ups of no option: {', '.join(sorted(foreign))}")
        return self

    def tree(self, depth: int = 1) -> Iterator["Question"]:
        """This question and all that may follow. Raises QuestionTooDeep."""
        if depth > DEEPEST:
            raise QuestionTooDeep
        yield self
        for follow_ups in self.follow_up_questions.values():
            for question in follow_ups:
                yield from question.tree(depth + 1)


class QuestionTooDeep(Exception):
    """Follow-ups of follow-ups, more than ten levels of them."""


class Group(_Strict):
    """The questions of one asking call; `index` counts from 1."""

    id: str
    index: int
    total: int


class Runs(_Strict):
    """Something that a directory carries and that would run with the user's rights."""

    kind: str = Field(
        description="hook, variable, helper, permission, mcp_server, plugin, command, skill, agent, workflow, "
        "schedule, setting, or unreadable."
    )
    path: str = Field(description="The file that it stands in: below the working directory, else absolute.")
    name: str
    what: str = Field(description="What would run or hold, as far as it is short.")


class AskedQuestion(Question):
    """A question as the world sees it, with what its kind brings along."""

    kind: QuestionKind = QuestionKind.QUESTION
    group: Group | None = None
    round: int | None = Field(None, description="The asking call in its session, from 1.")
    tool_name: str | None = None
    tool_input: dict[str, Any] | None = None
    agent_id: str | None = None
    scope: str | None = None
    plan: str | None = None
    runs: list[Runs | str] | None = Field(
        None, description="Of a directory's trust: what would run. As plain text in events of the first versions."
    )
    runs_total: int | None = Field(None, description="How many there are, where `runs` has the first of them.")
    directory: str | None = None
    mcp_server: str | None = Field(None, description="The MCP server that asks; beside it the `message` that it gives.")
    message: str | None = None
    url: str | None = Field(None, description="The page that the MCP server asks to open.")


class QuestionReport(AskedQuestion):
    """A question as it is asked for: with its state, and what came of it."""

    session_id: str
    task_id: str | None = Field(description="None for a program's question: it belongs to the session.")
    state: QuestionState
    asked_at: str
    parent_id: str | None = Field(None, description="The question whose answer opened this one.")
    due_in_s: float | None = Field(None, description="So long it still waits, while a server runs; None: for ever.")
    answer: Answer = None
    answered_at: str | None = None
    answered_by: str | None = None
    door: Door | None = None
    reason: str | None = None
    updated_input: dict[str, Any] | None = None
    way: str | None = Field(None, description="How the answer reached the agent.")


class AnswerRequest(_Strict):
    """The body of `POST /api/task/answer`."""

    session_id: StrictStr
    question_id: StrictStr
    answer: Any = Field(
        description="An option by its id or its exact label, or `{other}`; a list of such; a text; true or false. "
        "null declines."
    )
    answers: dict[str, Any] = Field({}, description="Of follow-ups and other questions of the same call, by id.")
    reason: Words | None = Field(None, description="For the agent, beside the answer.")
    updated_input: dict[str, Any] | None = Field(None, description="What is to run instead of what was shown.")
    stop: StrictBool = Field(False, description="Beside `answer: null`: end the task.")

    @field_validator("stop")
    @classmethod
    def _stops_by_declining(cls, value: bool, info: ValidationInfo) -> bool:
        if value and info.data.get("answer") is not None:
            raise ValueError("stop goes with answer: null")
        return value


class AnswerTaken(BaseModel):
    success: Literal[True] = True
    message: str
    remaining: list[str] = Field(description="The questions that must be answered before the agent goes on.")
    cleaned: Literal[True] | None = Field(None, description="Control characters were taken out.")


class AskRequest(_Strict):
    """The body of `POST /api/questions`: a program's own question to the person."""

    session_id: StrictStr
    question: dict[str, Any]


class QuestionPage(BaseModel):
    questions: list[QuestionReport]
    next_cursor: str | None


class DialogEntry(BaseModel):
    round: int
    question: str
    answer: str | None = Field(description="In the words of its options.")
    question_id: str
    state: QuestionState
    answered_at: str | None


class Dialog(BaseModel):
    """Where a session stands in its rounds of questions; a round is one asking call."""

    session_id: str
    current_round: int
    total_rounds: int
    dialog_history: list[DialogEntry]


def _malformed(sentence: str) -> PydanticCustomError:
    # Braces would be taken for fields of the template.
    return PydanticCustomError("question_invalid", "{sentence}", {"sentence": sentence})
