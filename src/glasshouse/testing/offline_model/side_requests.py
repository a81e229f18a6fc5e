"""What Claude Code asks of a model beside the conversation: titles as JSON, summaries. Answered, and no more."""

import json
from collections.abc import Mapping
from typing import Any

from glasshouse.contract.phrase import Phrase
from glasshouse.testing.offline_model.conversation import Conversation
from glasshouse.testing.offline_model.messages import MessagesRequest
from glasshouse.testing.offline_model.reply import Reply, Say

LABEL = Phrase("离线演示", "Offline demo")
SUMMARY = Phrase(
    "<summary>（离线演示模型）之前的对话没有摘要。</summary>",
    "<summary>(Offline demo model) There is no summary of what was said before.</summary>",
)

_ASKS_FOR_A_SUMMARY = "Your task is to create a detailed summary"


def side_reply(request: MessagesRequest, conversation: Conversation) -> Reply | None:
    """The reply to a side request; None for the conversation itself."""
    form = request.output_config.get("format") or {}
    if form.get("type") == "json_schema":
        value = _filled(form.get("schema") or {}, LABEL.say(conversation.language))
        return (Say(json.dumps(value, ensure_ascii=False)),)
    if _ASKS_FOR_A_SUMMARY in conversation.prompt:
        return (Say(SUMMARY.say(conversation.language)),)
    return None


def _filled(schema: Mapping[str, Any], text: str) -> Any:
    """The least that a schema of this kind takes, with `text` where it wants words."""
    if "enum" in schema:
        return schema["enum"][0]
    match schema.get("type"):
        case "object":
            properties = schema.get("properties", {})
            return {name: _filled(properties.get(name, {}), text) for name in schema.get("required", properties)}
        case "array":
            return []
        case kind:
            return {"boolean": False, "integer": 0, "number": 0}.get(kind or "", text)
