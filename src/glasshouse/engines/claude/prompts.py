"""Where Claude Code turns to a person: its hook before a question, and its prompts."""

from typing import Any

from claude_agent_sdk import HookMatcher, ToolPermissionContext
from claude_agent_sdk.types import PermissionResult

from glasshouse.engines.claude.asking import QUESTION_TOOLS
from glasshouse.engines.claude.permissions import Permissions
from glasshouse.engines.claude.questions import Questions

# A person may take days.
_HOOK_TIMEOUT_S = 30 * 24 * 3600.0


class Prompts:
    def __init__(self, questions: Questions, permissions: Permissions) -> None:
        self._questions = questions
        self._permissions = permissions

    def hooks(self) -> list[HookMatcher]:
        return [HookMatcher("|".join(sorted(QUESTION_TOOLS)), [self._questions.before], _HOOK_TIMEOUT_S)]

    async def can_use_tool(
        self, tool: str, tool_input: dict[str, Any], context: ToolPermissionContext
    ) -> PermissionResult:
        call_id = str(context.tool_use_id)
        if tool in QUESTION_TOOLS:
            return await self._questions.on_prompt(call_id, tool, tool_input)
        return await self._permissions.on_prompt(call_id, tool, tool_input, context)
