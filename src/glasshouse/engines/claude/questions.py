"""Questions of Claude Code's, brought to the desk, and their answers brought back to the calls that asked them."""

import asyncio
from typing import Any, cast

from claude_agent_sdk import PermissionResultAllow, PermissionResultDeny
from claude_agent_sdk.types import HookContext, HookInput, HookJSONOutput, PermissionResult

from glasshouse.contract.errors import QuestionInvalid
from glasshouse.contract.phrase import Language
from glasshouse.core.ports import Call, EngineTask, Run
from glasshouse.engines.claude import answering
from glasshouse.engines.claude.again import asked_in, times_of
from glasshouse.engines.claude.asking import question_asking
from glasshouse.engines.claude.catalogue import ASK_USER_QUESTION, OUR_QUESTION
from glasshouse.engines.claude.patience import Waiting
from glasshouse.engines.claude.question_tool import CALL_KEY
from glasshouse.engines.claude.steering import Steering

RESUMED, LIVE = "resumed", "live"


class Questions:
    """Of one process."""

    def __init__(self, run: Run, task: EngineTask, language: Language, waiting: Waiting, steering: Steering) -> None:
        self._run = run
        self._task = task
        self._language: Language = language
        self._waiting = waiting
        self._steering = steering
        # What Claude Code was to present again, and whether it has.
        self._presented: dict[str, asyncio.Event] = {}
        # By the ids that Claude Code uses; asked again, the desk has them under another.
        self._calls: dict[str, str] = {}

    def expect(self, call_id: str) -> asyncio.Event:
        """Set once Claude Code has presented this call, which it had kept."""
        return self._presented.setdefault(call_id, asyncio.Event())

    async def returned(self, call_id: str) -> None:
        """Claude Code has the result of this call."""
        if (asked := self._calls.pop(call_id, None)) is not None:
            await self._run.told(asked, RESUMED if call_id in self._presented else LIVE)

    async def before(self, given: HookInput, _: str | None, __: HookContext) -> HookJSONOutput:
        fields = cast("dict[str, Any]", given)
        call_id, tool = str(fields["tool_use_id"]), str(fields["tool_name"])
        may_defer = self._waiting.patience.defer and fields.get("agent_id") is None
        if may_defer and self._waiting.kept not in (None, call_id):
            return _denied(answering.ANOTHER_WAITS.say(self._language))
        if may_defer:
            self._waiting.kept = call_id
        try:
            call = await self._question(call_id, tool, fields["tool_input"])
        except QuestionInvalid as wrong:
            self._waiting.kept = None
            return _denied(wrong.message(self._language))
        if not call.is_settled and may_defer and await self._steering.hold():
            call = await self._waiting.settled_or_free(call)
            if not call.is_settled:
                return _decision("defer")
        self._waiting.kept = None
        call = await self._waiting.settled(call)
        self._steering.release()
        return self._as_hook_output(self._reply(call))

    async def on_prompt(self, call_id: str, tool: str, tool_input: dict[str, Any]) -> PermissionResult:
        """Claude Code comes here without the hook, or in spite of what the hook said."""
        put_off = call_id in self._presented
        try:
            call = await self._question(call_id, tool, tool_input)
        except QuestionInvalid as wrong:
            return PermissionResultDeny(message=wrong.message(self._language))
        if not call.is_settled and put_off and self._waiting.patience.defer:
            # It has been put off before, and stays so when the process ends.
            self._waiting.let_go.set()
        call = await self._waiting.settled(call)
        if self._waiting.kept == call_id:
            self._waiting.kept = None
        return self._reply(call)

    async def _question(self, call_id: str, tool: str, tool_input: dict[str, Any]) -> Call:
        """Asked now, or found as it was asked before. Raises QuestionInvalid."""
        if call_id in self._presented:
            self._presented[call_id].set()
        if times := await times_of(self._run, call_id):
            call = await asked_in(self._run, times)
        else:
            asking = question_asking(call_id, tool, tool_input, self._task.templates)
            await self._waiting.until_heard_of(call_id)
            call = await self._run.ask(asking)
        self._calls[call_id] = call.call_id
        return call

    def _reply(self, call: Call) -> PermissionResult:
        root = call.roots[0]
        if call.is_over_limit:
            return PermissionResultDeny(message=answering.OVER_LIMIT.say(self._language))
        if answering.is_withdrawn(call):
            # Of an earlier task: nothing is to follow from it.
            return PermissionResultDeny(message=answering.WITHDRAWN.say(self._language), interrupt=True)
        if answering.is_declined(call):
            return PermissionResultDeny(message=answering.declined_words(call, self._language))
        if root.memo["tool"] == ASK_USER_QUESTION:
            return PermissionResultAllow(updated_input=answering.answers_for_claude(call, self._language))
        return PermissionResultAllow(updated_input={**root.memo["input"], CALL_KEY: call.call_id})

    async def result_of_ours(self, call_id: str) -> str:
        """What our own tool returns, once the call was let through."""
        call = await self._run.call(call_id)
        if call is None:
            # Presented without its hook, in a mode that asks nobody: known by being the only one.
            open_calls = [each for each in await self._run.open_calls() if answering.tool_of(each) == OUR_QUESTION]
            call = open_calls[0] if len(open_calls) == 1 else None
        if call is None or answering.is_declined(call):
            return answering.WITHDRAWN.say(self._language)
        return answering.rich_result(call, self._language)

    def _as_hook_output(self, reply: PermissionResult) -> HookJSONOutput:
        if isinstance(reply, PermissionResultAllow):
            return _decision("allow", updatedInput=reply.updated_input)
        if reply.interrupt:
            # A hook cannot interrupt: `can_use_tool` is asked next, and does.
            return {}
        return _denied(reply.message)


def _denied(reason: str) -> HookJSONOutput:
    return _decision("deny", permissionDecisionReason=reason)


def _decision(decision: str, **fields: Any) -> HookJSONOutput:
    output = {"hookEventName": "PreToolUse", "permissionDecision": decision, **fields}
    return cast("HookJSONOutput", {"hookSpecificOutput": output})
