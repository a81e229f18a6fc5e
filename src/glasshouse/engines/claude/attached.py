"""A prompt with its attachments, as a message: the images among them to be seen, all of them to be read."""

import base64
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from glasshouse.claude_home.files import read_regular
from glasshouse.contract.phrase import Language, Phrase
from glasshouse.core.ports import AttachedFile

# What the Messages API takes; one that it refuses would spoil the conversation for good.
_IMAGE_LIMIT = 3_750_000
_BEGINNINGS = {
    "image/png": (b"\x89PNG\r\n\x1a\n",),
    "image/jpeg": (b"\xff\xd8\xff",),
    "image/gif": (b"GIF87a", b"GIF89a"),
}

_ATTACHED = Phrase(
    "用户随提示附上了这些文件，需要时请读取：", "The user attached these files; read them where the task needs it:"
)


def content_of(text: str, files: Sequence[AttachedFile], language: Language) -> str | list[dict[str, Any]]:
    """As the Messages API has it. Blocking: reads the images."""
    if not files:
        return text
    listed = "\n".join(f"- {each.path} ({each.media_type}, {each.size} bytes)" for each in files)
    told = f"<glasshouse-attachments>\n{_ATTACHED.say(language)}\n{listed}\n</glasshouse-attachments>"
    images = [block for each in files if (block := _image(each)) is not None]
    return [{"type": "text", "text": text}, *images, {"type": "text", "text": told}]


def _image(file: AttachedFile) -> dict[str, Any] | None:
    if not file.media_type.startswith("image/") or file.size > _IMAGE_LIMIT:
        return None
    data = read_regular(Path(file.path), _IMAGE_LIMIT, follow=False) or b""
    # By what it is, not by what it is called.
    kind = _kind_of(data)
    if kind is None:
        return None
    source = {"type": "base64", "media_type": kind, "data": base64.b64encode(data).decode()}
    return {"type": "image", "source": source}


def _kind_of(data: bytes) -> str | None:
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for kind, begins in _BEGINNINGS.items() if data.startswith(begins)), None)
