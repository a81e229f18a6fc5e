"""The answer to a permission prompt: as long as there is nobody to ask, a denial that names the ways out."""

from typing import Any

from claude_agent_sdk import PermissionResultDeny, ToolPermissionContext

from glasshouse.contract.phrase import Language, Phrase
from glasshouse.contract.task import PermissionMode
from glasshouse.engines.claude.catalogue import EXIT_PLAN_MODE

_NOBODY_TO_ASK = Phrase(
    "没有执行 {tool}：这项操作需要许可，而这里目前无法询问。有两种办法：在请求的 tools 中列出 {tool}，"
    "或使用另一种 permission_mode（例如 acceptEdits）。",
    "{tool} was not run: it needs a permission, and nobody can be asked here yet. There are two ways out: name {tool} "
    "in the request's tools, or use another permission_mode (acceptEdits, for one).",
)
_PLANNING = Phrase(
    "没有执行 {tool}：计划模式（permission_mode: plan）只读取，不执行。要执行，请换一种 permission_mode，"
    "并在请求的 tools 中列出 {tool}。",
    "{tool} was not run: plan mode (permission_mode: plan) reads and executes nothing. To execute, use another "
    "permission_mode, and name {tool} in the request's tools.",
)
_PLAN_NOT_APPROVED = Phrase(
    "计划目前无法在这里批准。请把完整的计划作为文字写出来，然后结束；之后可以换一种 permission_mode 执行它。",
    "The plan cannot be approved here yet. Write the whole plan as text and end; it can be carried out afterwards "
    "with another permission_mode.",
)


class DeniedPrompts:
    """`can_use_tool` of the SDK."""

    def __init__(self, mode: PermissionMode, language: Language) -> None:
        self._mode = mode
        self._language: Language = language

    async def __call__(
        self, tool_name: str, tool_input: dict[str, Any], context: ToolPermissionContext
    ) -> PermissionResultDeny:
        return PermissionResultDeny(message=self._sentence(tool_name).say(self._language, tool=tool_name))

    def _sentence(self, tool_name: str) -> Phrase:
        if tool_name == EXIT_PLAN_MODE:
            return _PLAN_NOT_APPROVED
        return _PLANNING if self._mode == "plan" else _NOBODY_TO_ASK
