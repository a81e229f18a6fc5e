"""Where Claude Code turns to a person: its hook before a question, its prompts, our own tool, and its MCP servers."""

from collections.abc import Mapping
from typing import Any

from claude_agent_sdk import HookMatcher, PermissionResultDeny, ToolPermissionContext
from claude_agent_sdk.types import HookContext, HookInput, HookJSONOutput, PermissionResult

from glasshouse.engines.claude.asking import QUESTION_TOOLS
from glasshouse.engines.claude.catalogue import ACTING
from glasshouse.engines.claude.elicitation import CANCEL, Elicitations
from glasshouse.engines.claude.permissions import Permissions
from glasshouse.engines.claude.questions import Questions

# A person may take days.
_HOOK_TIMEOUT_S = 30 * 24 * 3600.0


class Prompts:
    """Of one process, for as long as it lives; they lead to whoever's task it does."""

    def __init__(self) -> None:
        self._questions: Questions | None = None
        self._permissions: Permissions | None = None
        self._elicitations: Elicitations | None = None

    def lead_to(self, questions: Questions, permissions: Permissions, elicitations: Elicitations) -> None:
        self._questions, self._permissions, self._elicitations = questions, permissions, elicitations

    def lead_nowhere(self) -> None:
        """Between two tasks nobody is there to be asked."""
        self._questions = self._permissions = self._elicitations = None

    def hooks(self) -> list[HookMatcher]:
        return [
            HookMatcher("|".join(sorted(QUESTION_TOOLS)), [self._before], _HOOK_TIMEOUT_S),
            # All others only look, and need not wait for a way there and back.
            *(HookMatcher(names, [self._before_tool]) for names in ACTING),
        ]

    async def can_use_tool(
        self, tool: str, tool_input: dict[str, Any], context: ToolPermissionContext
    ) -> PermissionResult:
        if self._questions is None or self._permissions is None:
            return PermissionResultDeny(interrupt=True)
        call_id = str(context.tool_use_id)
        if tool in QUESTION_TOOLS:
            return await self._questions.on_prompt(call_id, tool, tool_input)
        return await self._permissions.on_prompt(call_id, tool, tool_input, context)

    async def result_of_ours(self, call_id: str) -> str:
        return "" if self._questions is None else await self._questions.result_of_ours(call_id)

    async def elicit(self, name: str, request: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"action": CANCEL} if self._elicitations is None else await self._elicitations.answer(name, request)

    async def withdraw(self, name: str) -> None:
        if self._elicitations is not None:
            await self._elicitations.withdraw(name)

    async def _before(self, given: HookInput, call_id: str | None, context: HookContext) -> HookJSONOutput:
        # What is not decided here comes to `can_use_tool`.
        return {} if self._questions is None else await self._questions.before(given, call_id, context)

    async def _before_tool(self, given: HookInput, call_id: str | None, context: HookContext) -> HookJSONOutput:
        return {} if self._permissions is None else await self._permissions.before_tool(given, call_id, context)
