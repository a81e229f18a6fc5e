"""Our own tool `ask_user_question`, offered to Claude Code by a server inside this process."""

from collections.abc import Awaitable, Callable
from typing import Any

from claude_agent_sdk import create_sdk_mcp_server, tool
from claude_agent_sdk.types import McpSdkServerConfig

from glasshouse.engines.claude.catalogue import OUR_SERVER

# Under this key a call learns which one it is: the protocol does not tell it.
CALL_KEY = "glasshouse_call"

_DESCRIPTION = (
    "Ask the user one question or several, and wait for the answers. Richer than AskUserQuestion: four types "
    "(multiple_choice, checkbox, text, boolean), options with ids, descriptions and defaults, optional questions, and "
    "follow-up questions that a chosen option opens. Give an array under `questions`, or one flat question. A question "
    "that the request brought along is asked by its `question_id` alone."
)
_OPTION = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "label": {"type": "string"},
        "description": {"type": "string"},
        "default": {"type": "boolean"},
    },
    "required": ["label"],
}
_FIELDS: dict[str, Any] = {
    "question_id": {"type": "string", "description": "Unique in the session; made if absent"},
    "question_text": {"type": "string"},
    "header": {"type": "string", "description": "At most 12 characters are shown"},
    "description": {"type": "string"},
    "type": {"type": "string", "enum": ["multiple_choice", "checkbox", "text", "boolean"]},
    "options": {"type": "array", "items": _OPTION},
    "required": {"type": "boolean", "description": "True when absent"},
    "allow_other": {"type": "boolean", "description": "Whether the user may answer in words of their own"},
    "follow_up_questions": {
        "type": "object",
        "description": "By option id (of a boolean: true, false), the questions that this choice opens",
        "additionalProperties": {"type": "array", "items": {"type": "object"}},
    },
}
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        **_FIELDS,
        "questions": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    **_FIELDS,
                    "question": {"type": "string", "description": "The same as question_text"},
                    "multiSelect": {"type": "boolean"},
                },
            },
        },
    },
}


def question_server(result: Callable[[str], Awaitable[str]]) -> McpSdkServerConfig:
    """`result` gives what a call returns, by its id."""

    @tool("ask_user_question", _DESCRIPTION, _SCHEMA)
    async def ask(arguments: dict[str, Any]) -> dict[str, Any]:
        text = await result(str(arguments.get(CALL_KEY, "")))
        return {"content": [{"type": "text", "text": text}]}

    server = create_sdk_mcp_server(OUR_SERVER, tools=[ask])
    # Else the model finds it only by searching.
    server["alwaysLoad"] = True  # type: ignore[typeddict-unknown-key]
    return server
