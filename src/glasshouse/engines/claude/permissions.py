"""Permission prompts and plans of Claude Code's: what a person decides, spent before it is given."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any, cast

from claude_agent_sdk import PermissionResultAllow, PermissionResultDeny, ToolPermissionContext
from claude_agent_sdk.types import HookContext, HookInput, HookJSONOutput, PermissionResult, PermissionUpdate

from glasshouse.contract.phrase import Language, Phrase
from glasshouse.contract.task import PermissionMode
from glasshouse.core.ports import EngineTask, Run
from glasshouse.engines.claude import answering, catalogue
from glasshouse.engines.claude.activity import Activity
from glasshouse.engines.claude.asking import ALLOW_SESSION, APPROVE_ACCEPT_EDITS, permission_asking, plan_asking
from glasshouse.engines.claude.catalogue import EXIT_PLAN_MODE
from glasshouse.engines.claude.grants import Approvals, SessionGrants, file_of
from glasshouse.engines.claude.patience import Waiting

LIVE = "live"

_PLANNING = Phrase(
    "没有执行 {tool}：计划模式（permission_mode: plan）只读取，不执行。要执行，先用 ExitPlanMode 提交计划并获得批准。",
    "{tool} was not run: plan mode (permission_mode: plan) reads and executes nothing. To execute, present the plan "
    "with ExitPlanMode and have it approved first.",
)


class Permissions:
    """Of one process."""

    def __init__(
        self,
        run: Run,
        task: EngineTask,
        language: Language,
        *,
        activity: Activity,
        waiting: Waiting,
        approvals: Approvals,
        grants: SessionGrants,
    ) -> None:
        self._run = run
        self._task = task
        self._planning = task.permission_mode == "plan"
        # A plan's approval has.
        self.has_changed_mode = False
        # One that began in plan mode has none that let run what acts.
        self._keeps_rules_from_running = False
        self._language: Language = language
        self._activity = activity
        self._waiting = waiting
        self._approvals = approvals
        self._grants = grants

    @contextmanager
    def changing_to(self, mode: PermissionMode) -> Iterator[None]:
        """A person changes the mode; what is asked from here on is judged by it, unless the change fails."""
        before = self._planning, self._keeps_rules_from_running
        # In between nothing may run that one of the two modes keeps from running.
        self._planning = self._planning or mode == "plan"
        self._keeps_rules_from_running = self._planning
        try:
            yield
        except BaseException:
            self._planning, self._keeps_rules_from_running = before
            raise
        self._planning = self._keeps_rules_from_running = mode == "plan"

    async def before_tool(self, given: HookInput, _: str | None, __: HookContext) -> HookJSONOutput:
        """The rules that the process was started with let a call run without asking, in plan mode too."""
        tool = str(cast("dict[str, Any]", given)["tool_name"])
        if not self._keeps_rules_from_running or not catalogue.acts(tool):
            return {}
        reason = _PLANNING.say(self._language, tool=tool)
        denied = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": reason}
        return cast("HookJSONOutput", {"hookSpecificOutput": denied})

    async def on_prompt(
        self, call_id: str, tool: str, tool_input: dict[str, Any], context: ToolPermissionContext
    ) -> PermissionResult:
        if tool == EXIT_PLAN_MODE:
            return await self._on_plan(call_id, tool_input)
        if self._planning:
            return PermissionResultDeny(message=_PLANNING.say(self._language, tool=tool))
        if self._runs_unasked(tool, tool_input) or await self._approvals.spend(tool, tool_input):
            return PermissionResultAllow()
        return await self._on_permission(call_id, tool, tool_input, context)

    def _runs_unasked(self, tool: str, tool_input: dict[str, Any]) -> bool:
        # A plan's approval makes what the caller named run without asking, as in a process that began so.
        return tool in (self._task.tools or ()) or self._grants.hold_for(tool, tool_input)

    async def _on_permission(
        self, call_id: str, tool: str, tool_input: dict[str, Any], context: ToolPermissionContext
    ) -> PermissionResult:
        await self._waiting.until_heard_of(call_id)
        updates = _session_rules(context.suggestions)
        rules = [rule for update in updates for rule in _as_text(update)]
        for number in count(1):
            file = await asyncio.to_thread(file_of, tool_input)
            asking = permission_asking(
                call_id if number == 1 else f"{call_id}#{number}",
                tool,
                tool_input,
                agent_id=context.agent_id,
                reason=context.decision_reason or context.title,
                rules=rules,
                file=file,
                language=self._language,
            )
            call = await self._waiting.settled_hot(await self._run.ask(asking), context.agent_id)
            record = call.roots[0]
            if record.way is not None:
                return PermissionResultDeny(message=answering.GIVEN_BEFORE.say(self._language, tool=tool))
            # Before it is given: what was given and has no result must not look as if it could be given again.
            await self._run.told(call.call_id, LIVE)
            if not answering.is_allowed(record):
                return PermissionResultDeny(message=answering.denial_words(record, self._language))
            if await asyncio.to_thread(file_of, tool_input) == record.memo["file"]:
                break
        allowed = answering.allowed_input(record)
        if record.answer != ALLOW_SESSION:
            return PermissionResultAllow(updated_input=allowed)
        self._grants.add(tool, allowed, record.memo["rules"])
        return PermissionResultAllow(updated_input=allowed, updated_permissions=updates or None)

    async def _on_plan(self, call_id: str, tool_input: dict[str, Any]) -> PermissionResult:
        await self._waiting.until_heard_of(call_id)
        streamed = self._activity.calls.get(call_id)
        plan = tool_input.get("plan") or (streamed.input.get("plan") if streamed is not None else None)
        call = await self._run.ask(plan_asking(call_id, str(plan or ""), self._language))
        call = await self._waiting.settled_hot(call)
        record = call.roots[0]
        if record.way is not None:
            return PermissionResultDeny(message=answering.GIVEN_BEFORE.say(self._language, tool=EXIT_PLAN_MODE))
        await self._run.told(call.call_id, LIVE)
        if not answering.is_approved(record):
            return PermissionResultDeny(message=answering.denial_words(record, self._language))
        self._planning = self._keeps_rules_from_running = False
        self.has_changed_mode = True
        if record.answer != APPROVE_ACCEPT_EDITS:
            return PermissionResultAllow()
        accept = PermissionUpdate(type="setMode", mode="acceptEdits", destination="session")
        return PermissionResultAllow(updated_permissions=[accept])


def _session_rules(suggestions: list[PermissionUpdate]) -> list[PermissionUpdate]:
    """What Claude Code would remember, for the session only: nothing of ours goes into a settings file."""
    return [
        PermissionUpdate(type="addRules", rules=each.rules, behavior="allow", destination="session")
        for each in suggestions
        if each.type == "addRules" and each.behavior == "allow" and each.rules
    ]


def _as_text(update: PermissionUpdate) -> list[str]:
    return [
        rule.tool_name if rule.rule_content is None else f"{rule.tool_name}({rule.rule_content})"
        for rule in update.rules or ()
    ]
