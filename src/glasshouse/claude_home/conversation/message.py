"""A record as a message: its blocks in one form, with what belongs to them joined."""

from collections.abc import Callable, Mapping
from typing import Any

from glasshouse.claude_home.conversation.kinds import content_of, input_type_of, kind_of

# The tool of a call.
NameOf = Callable[[str], str | None]

_SIGNATURES = ("signature", "data")
_CALLS = ("tool_use", "server_tool_use")


def message_of(
    record: dict[str, Any],
    *,
    round_number: int,
    parent: str | None,
    name_of: NameOf,
    agents: Mapping[str, str],
    agent_id: str | None = None,
    parent_tool_use_id: str | None = None,
) -> dict[str, Any] | None:
    """As `contract.message.Message`, without what it does not have. `parent` is the message above,
    and `agents` are those that calls have started.

    None: the record is no message, or an empty one.
    """
    content = content_of(record)
    kind = kind_of(record, content)
    if kind is None or not content:
        return None
    said = record.get("message")
    said = said if isinstance(said, dict) else {}
    is_model = record["type"] == "assistant"
    role = "system" if kind == "compaction" else "assistant" if is_model else "user"
    block = record.get("apiBlockIndex")
    fields = {
        "role": role,
        "kind": kind,
        "content": [_block(block, record, name_of, agents) for block in content],
        "timestamp": _text(record.get("timestamp")),
        "uuid": record.get("uuid"),
        "parentUuid": parent,
        "message_id": _text(said.get("id")) if is_model else None,
        "block": block if is_model and isinstance(block, int) else None,
        "round": round_number,
        "input_type": input_type_of(content) if role == "user" else None,
        "model": _text(said.get("model")) if is_model else None,
        "agent_id": agent_id,
        "parent_tool_use_id": parent_tool_use_id,
        "compaction": _compaction(record) if kind == "compaction" else None,
    }
    return {name: value for name, value in fields.items() if value is not None or name == "parentUuid"}


def _block(block: dict[str, Any], record: dict[str, Any], name_of: NameOf, agents: Mapping[str, str]) -> dict[str, Any]:
    match block["type"]:
        case "tool_result":
            return _result(block, record, name_of)
        case "tool_use" | "server_tool_use":
            agent = agents.get(str(block.get("id")))
            return block if agent is None else {**block, "agent_id": agent}
        case "thinking" | "redacted_thinking":
            # Of use to the model's API alone.
            return {name: part for name, part in block.items() if name not in _SIGNATURES}
    return block


def _result(block: dict[str, Any], record: dict[str, Any], name_of: NameOf) -> dict[str, Any]:
    told = record.get("toolUseResult")
    agent = told.get("agentId") if isinstance(told, dict) else None
    call = str(block.get("tool_use_id"))
    joined = {
        "type": "tool_result",
        "tool_use_id": call,
        "tool_name": name_of(call),
        "is_error": block.get("is_error") is True,
        "agent_id": _text(agent),
    }
    known = {name: value for name, value in joined.items() if value is not None}
    return {**known, "content": _content_of_result(block.get("content"))}


def _content_of_result(content: object) -> Any:
    return content if isinstance(content, str | list) else ""


def calls_with_names(record: dict[str, Any]) -> dict[str, str]:
    blocks = content_of(record)
    return {str(block.get("id")): str(block.get("name")) for block in blocks if block["type"] in _CALLS}


def _compaction(record: dict[str, Any]) -> dict[str, Any]:
    told = record.get("compactMetadata")
    told = told if isinstance(told, dict) else {}
    before = told.get("preTokens")
    fields = {"trigger": _text(told.get("trigger")), "pre_tokens": before if isinstance(before, int) else None}
    return {name: value for name, value in fields.items() if value is not None}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
