"""A task to try: what it is called, and everything that a request for it needs."""

from pydantic import BaseModel

from glasshouse.contract.task import PermissionMode


class Example(BaseModel):
    """As `GET /api/examples` gives it, in the language of who asks."""

    id: str
    title: str
    description: str
    prompt: str
    tools: tuple[str, ...] | None
    permission_mode: PermissionMode
