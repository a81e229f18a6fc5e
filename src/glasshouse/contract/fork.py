"""A fork: a session that begins with the conversation of another one, up to a point."""

from pydantic import BaseModel, Field

from glasshouse.contract.ids import Uuid
from glasshouse.contract.task import EngineName


class ForkedFrom(BaseModel):
    session_id: Uuid
    message_id: str | None = Field(
        None, description="The last message that both have, by its id in the transcript; null: nothing was said yet."
    )


class Forked(BaseModel):
    """The new session; its first task brings the conversation over."""

    session_id: Uuid
    forked_from: ForkedFrom
    engine: EngineName
    working_dir: str
    created_at: str
    offline: bool
