"""What a record is in a conversation, and what of it is shown.

A transcript holds many kinds of record; those with a place in the chain of parents are links, and of these only the
words of people and models are messages.
"""

import re
from typing import Any

from glasshouse.contract.message import InputType, MessageKind

# All other kinds (queue-operation, api-request, summaries, snapshots …) stand beside the chain.
LINKS = frozenset({"user", "assistant", "system", "attachment", "progress"})

# What stands in a person's place without being a person's words.
_INJECTED = re.compile(
    r"\s*(?:<(?:task-notification|glasshouse-answers|local-command-\w+|bash-std\w+|system-reminder)>"
    r"|\[Request interrupted by user)"
)
_SYNTHETIC = "<synthetic>"


Block = dict[str, Any]


def begins_round(record: dict[str, Any], content: list[Block]) -> bool:
    """Of a person's message: whether it begins a round in every transcript. Commands that the terminal itself carries
    out have no permission mode."""
    first = content[0].get("text") if content else None
    return bool(record.get("permissionMode")) or (isinstance(first, str) and first.startswith("<command-name>"))


def kind_of(record: dict[str, Any], content: list[Block]) -> MessageKind | None:
    """None: it is no message, at most a link to one. The content is the record's own."""
    match record.get("type"):
        case "assistant":
            return None if record.get("isMeta") else _of_assistant(record)
        case "user":
            return None if record.get("isMeta") else _of_user(record, content)
        case "attachment":
            return "steered" if _is_steered(record) else None
        case "system":
            return "compaction" if record.get("subtype") == "compact_boundary" else None
    return None


def _of_assistant(record: dict[str, Any]) -> MessageKind:
    if record.get("isApiErrorMessage") is True:
        return "error"
    message = record.get("message")
    return "injected" if isinstance(message, dict) and message.get("model") == _SYNTHETIC else "message"


def _of_user(record: dict[str, Any], content: list[Block]) -> MessageKind:
    if record.get("isCompactSummary"):
        return "summary"
    origin = record.get("origin")
    if isinstance(origin, dict) and origin.get("kind", "human") != "human":
        return "injected"
    first = content[0].get("text") if content else None
    return "injected" if isinstance(first, str) and _INJECTED.match(first) else "message"


def _is_steered(record: dict[str, Any]) -> bool:
    attachment = record.get("attachment")
    return (
        isinstance(attachment, dict)
        and attachment.get("type") == "queued_command"
        and attachment.get("commandMode", "prompt") == "prompt"
        and not attachment.get("isMeta")
    )


def content_of(record: dict[str, Any]) -> list[Block]:
    """The blocks of a record in either form of content; those that say nothing are left out."""
    if record.get("type") == "system":
        content = record.get("content")
    elif record.get("type") == "attachment":
        attachment = record.get("attachment")
        content = attachment.get("prompt") if isinstance(attachment, dict) else None
    else:
        message = record.get("message")
        content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    if not isinstance(content, list):
        return []
    return [block for block in map(_block, content) if block is not None]


def _block(block: object) -> Block | None:
    if isinstance(block, str):
        block = {"type": "text", "text": block}
    if not isinstance(block, dict) or not isinstance(block.get("type"), str):
        return None
    if (kind := block["type"]) in ("text", "thinking"):
        words = block.get(kind)
        return block if isinstance(words, str) and words and not words.isspace() else None
    return block


def results_in(content: list[Block]) -> list[str]:
    return [str(block.get("tool_use_id")) for block in content if block["type"] == "tool_result"]


def calls_in(content: list[Block]) -> list[str]:
    return [str(block.get("id")) for block in content if block["type"] in ("tool_use", "server_tool_use")]


def input_type_of(content: list[Block]) -> InputType:
    if results_in(content):
        return "tool_result"
    texts = _texts(content)
    if any("<ide_selection>" in text for text in texts):
        return "ide_selection"
    return "ide_opened_file" if any("<ide_opened_file>" in text for text in texts) else "text"


def _texts(content: list[Block]) -> list[str]:
    return [block["text"] for block in content if block["type"] == "text"]
