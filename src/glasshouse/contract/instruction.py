"""What a person says to a task that has not ended: a message, or another permission mode or model."""

from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictStr, model_validator

from glasshouse.contract.ids import Uuid
from glasshouse.contract.task import PROMPT_LIMIT, ModelName, PermissionMode


class MessageMode(StrEnum):
    """`queue`: a turn of its own, after the running one. `steer`: it joins the running turn after its current tool."""

    QUEUE = "queue"
    STEER = "steer"


class ReceiptState(StrEnum):
    """How far an instruction is: in the log; on its way to the agent; with the agent; or never to come to it."""

    ACCEPTED = "accepted"
    DELIVERED = "delivered"
    CONSUMED = "consumed"
    REFUSED = "refused"

    @property
    def is_open(self) -> bool:
        """Whether it is still to be consumed or refused."""
        return self in (ReceiptState.ACCEPTED, ReceiptState.DELIVERED)


def _content(value: str) -> str:
    if "\0" in value or not value.strip():
        raise ValueError("empty, or with NUL")
    return value


class MessageRequest(BaseModel):
    """The body of `POST /api/task/{task_id}/messages`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    content: Annotated[
        StrictStr,
        Field(max_length=PROMPT_LIMIT, description="What to tell the agent, as it is; 1 to 10,000 characters."),
        AfterValidator(_content),
    ]
    mode: MessageMode
    message_id: Uuid | None = Field(
        None, description="The caller's own id: the same id with the same message is taken once."
    )


class MessageTaken(BaseModel):
    """A message that is in the log; its later receipts are `info` events with its `message_id`."""

    task_id: Uuid
    message_id: Uuid
    mode: MessageMode
    receipt: ReceiptState


class ChangeRequest(BaseModel):
    """The body of `PATCH /api/task/{task_id}`; at least one of them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    permission_mode: PermissionMode | None = None
    model: ModelName | None = None

    @model_validator(mode="after")
    def _not_empty(self) -> "ChangeRequest":
        if self.permission_mode is None and self.model is None:
            raise ValueError("nothing to change")
        return self


class ChangeTaken(BaseModel):
    """`receipt`: consumed (it holds now) or accepted (it holds from the next process of the task on)."""

    task_id: Uuid
    permission_mode: PermissionMode | None
    model: str | None
    receipt: ReceiptState
