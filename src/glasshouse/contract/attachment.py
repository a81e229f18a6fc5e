"""A file that comes with a prompt, and what is told of it."""

import base64
import hashlib
from functools import cached_property
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictStr, WithJsonSchema

_MEDIA_TYPE = r"^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,63}/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,63}$"


def _from_base64(value: Any) -> Any:
    if not isinstance(value, str):
        raise ValueError("base64 is expected")
    try:
        return base64.b64decode(value, validate=True)
    except ValueError:
        raise ValueError("not base64") from None


class Attachment(BaseModel):
    """A file that comes with a prompt. Its name is made safe where it is kept."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[StrictStr, Field(min_length=1, max_length=255)]
    media_type: Annotated[StrictStr, Field(pattern=_MEDIA_TYPE)]
    data: Annotated[
        bytes, BeforeValidator(_from_base64), WithJsonSchema({"type": "string", "contentEncoding": "base64"})
    ]

    @cached_property
    def facts(self) -> "AttachmentFacts":
        return AttachmentFacts(
            name=self.name,
            media_type=self.media_type,
            size=len(self.data),
            sha256=hashlib.sha256(self.data).hexdigest(),
        )


class AttachmentFacts(BaseModel):
    """What is kept and told of an attachment beside the file itself."""

    name: str
    media_type: str
    size: int
    sha256: str
